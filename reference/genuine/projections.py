"""The recorded projections of the suite's programs: a compressed file for each group.

A projection stands for one text: it carries the text's digest, and one of another text is not read.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import pathlib

from reference.genuine.record import Projected
from reference.genuine.suite import Program

DIRECTORY = pathlib.Path(__file__).with_name("recorded")


def read(group: str) -> dict[str, Projected]:
    """By name, what TensorFlow 1.15.5 built."""
    path = _path(group)
    if not path.exists():
        return {}
    found: dict[str, Projected] = json.loads(gzip.decompress(path.read_bytes()))
    return found


def write(group: str, found: dict[str, Projected]) -> None:
    """Writes a group; the same projections are the same bytes."""
    DIRECTORY.mkdir(exist_ok=True)
    text = json.dumps(dict(sorted(found.items())), separators=(",", ":"))
    fresh = _path(group).with_suffix(".new")
    fresh.write_bytes(gzip.compress(text.encode(), mtime=0))
    fresh.replace(_path(group))


def digest(program: Program) -> str:
    return hashlib.sha256(program.text()).hexdigest()


def _path(group: str) -> pathlib.Path:
    return DIRECTORY / f"{group}.json.gz"
