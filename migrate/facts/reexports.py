"""Names for TensorFlow that files of a tree take from each other: `from .compat import tf`.

A file whose name for TensorFlow comes from another file of the same run is read as if it
imported TensorFlow itself, as that file does.
"""

from __future__ import annotations

import ast
import os
import pathlib
import re
import warnings
from collections.abc import Iterable, Iterator

# How a module imports TensorFlow whole, at the beginning of a line.
_EXPORT = re.compile(
    rb"^(?:import (tensorflow|tensorflow\.compat\.v1) as (\w+)"
    rb"|from tensorflow\.compat import (v1) as (\w+))[ \t]*(?:#.*)?\r?$",
    re.MULTILINE,
)
# `from module import name`, of one name.
_IMPORT = re.compile(
    rb"^[ \t]*from (\.*[\w.]*) import (\w+)(?: as (\w+))?[ \t]*(?:#.*)?\r?$",
    re.MULTILINE,
)
# Line -> what stands there, and the import of TensorFlow that it means.
Lines = dict[int, tuple[str, str]]


def reexports(paths: Iterable[pathlib.Path]) -> dict[str, Lines]:
    """Real path of a file -> what its imports of other files' TensorFlow mean."""
    files = {
        os.path.realpath(path): path
        for path in paths
        if path.suffix == ".py" and path.is_file()
    }
    texts = {real: _read(path) for real, path in files.items()}
    exports = {
        real: found
        for real, data in texts.items()
        if b"tensorflow" in data and (found := dict(_exports(data)))
    }
    names = {name.encode() for found in exports.values() for name in found}
    meant: dict[str, Lines] = {}
    for real, data in texts.items():
        for match in _IMPORT.finditer(data):
            module, name, other = match[1].decode(), match[2], match[3]
            if name not in names:
                continue
            source = _file(files[real], module, files)
            if (
                source is None
                or source == real
                or name.decode() not in exports.get(source, {})
            ):
                continue
            path = exports[source][name.decode()]
            if _alone(files[source], name.decode()):
                line = data.count(b"\n", 0, match.start()) + 1
                bound = (other or name).decode()
                stands = match[0].decode("utf-8", "replace").strip()
                meant.setdefault(real, {})[line] = (stands, f"import {path} as {bound}")
    return meant


def _read(path: pathlib.Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _exports(data: bytes) -> Iterator[tuple[str, str]]:
    for match in _EXPORT.finditer(data):
        if match[1]:
            yield match[2].decode(), match[1].decode()
        else:
            yield match[4].decode(), "tensorflow.compat.v1"


def _file(
    path: pathlib.Path, module: str, files: dict[str, pathlib.Path]
) -> str | None:
    """The file of the run that a module's name means, from the nearest directory up."""
    parts = module.lstrip(".")
    level = len(module) - len(parts)
    bases = [path.parent, *path.parent.parents]
    for base in bases[level - 1 : level] if level else bases:
        place = base.joinpath(*parts.split(".")) if parts else base
        for candidate in (f"{place}.py", str(place / "__init__.py")):
            real = os.path.realpath(candidate)
            if real in files:
                return real
    return None


def _alone(path: pathlib.Path, name: str) -> bool:
    """Whether a module binds a name once: by its import."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    times = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            times += sum((a.asname or a.name.split(".")[0]) == name for a in node.names)
        elif isinstance(node, ast.Name) and node.id == name:
            times += not isinstance(node.ctx, ast.Load)
    return times == 1


def written_out(text: str, lines: Lines) -> tuple[str, list[int]]:
    """The text with those imports written out, and their lines; all others stay."""
    found = text.split("\n")
    changed: list[int] = []
    for number, (stands, meant) in lines.items():
        line = found[number - 1] if number <= len(found) else ""
        if line.strip() != stands:
            continue  # The result of an earlier run.
        indent = line[: len(line) - len(line.lstrip())]
        _, mark, comment = line.partition("#")
        found[number - 1] = indent + meant + (f"  #{comment}" if mark else "")
        changed.append(number)
    return "\n".join(found), changed
