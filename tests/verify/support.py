"""Verifications for tests: programs of this repository, and faults planted in them."""

from __future__ import annotations

import pathlib
import shutil
from collections.abc import Mapping, Sequence

import pytest

from migrate.options import Options
from migrate.pipeline import migrate_bytes
from reference.environment import find_tf1
from reference.verify.runs import LAUNCHER, Limits
from reference.verify.verdict import Verdict
from reference.verify.verification import Request, verify
from tests import ledger

ALONE = pathlib.Path(__file__).parents[1] / "programs" / "alone"


def copied(program: pathlib.Path, directory: pathlib.Path) -> pathlib.Path:
    """The program alone in a directory, as its user would have it."""
    directory.mkdir(parents=True, exist_ok=True)
    return pathlib.Path(shutil.copy(program, directory / program.name))


def migrated(
    program: pathlib.Path,
    directory: pathlib.Path,
    fault: tuple[str, str] | None = None,
) -> pathlib.Path:
    """Its migration; with a text of it replaced, where there is a fault to plant."""
    new = migrate_bytes(program, program.read_bytes(), Options()).new.decode()
    if fault is not None:
        assert fault[0] in new
        new = new.replace(*fault)
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / program.name
    path.write_text(new)
    return path


def verified(
    old: pathlib.Path,
    new: pathlib.Path | None,
    work: pathlib.Path,
    arguments: Sequence[str] = (),
    steps: int = 20,
    **options: object,
) -> Verdict:
    """Returns the verdict of `tf1to2 verify`."""
    python = find_tf1()
    if python is None:
        pytest.skip("no Python 3.7 with TensorFlow 1.15.5 on this machine")
    migration = new.parent if new is not None else ledger.COMPILER
    ledger.rests_on(LAUNCHER, old.parent, migration)
    work.mkdir(parents=True, exist_ok=True)
    return verify(
        Request(
            old,
            new,
            arguments,
            work,
            Limits(steps=steps, seconds=120),
            preloaded=True,
            **options,  # type: ignore[arg-type]
        )
    )


def unproven(verdict: Verdict) -> Mapping[str, list[str]]:
    """Returns the lines that a failing test shows."""
    return {verdict.line: [*verdict.reduced, *verdict.unproven]}
