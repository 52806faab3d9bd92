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
# `from module import name, other as its_name`, in one line.
_IMPORT = re.compile(
    rb"^[ \t]*from (\.*[\w.]*) import (\w[\w \t,]*?)[ \t]*(?:#.*)?\r?$",
    re.MULTILINE,
)
# The same over several lines, in parentheses, of the module's own level.
_LONG_IMPORT = re.compile(
    rb"^from (\.*[\w.]*) import[ \t]*\(([^()]*\n[^()]*)\)[ \t]*(?:#.*)?\r?$",
    re.MULTILINE,
)
# What `written_out` makes of one that takes other names too.
_TOGETHER = re.compile(
    r"^([ \t]*)(from \S+ import [\w ,]+|\)); (import tensorflow[\w.]* as \w+)",
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
            module = match[1].decode()
            own: list[str] = []
            taken: list[str] = []
            for item in match[2].decode().split(","):
                name, _, other = item.strip().partition(" as ")
                path = None
                if name.encode() in names:
                    path = _meant(files[real], module, name, files, exports)
                if path is None:
                    own.append(item.strip())
                else:
                    taken.append(f"import {path} as {other.strip() or name}")
            if taken:
                line = data.count(b"\n", 0, match.start()) + 1
                stands = match[0].decode("utf-8", "replace").strip()
                if own:  # In one line, so that all others keep their numbers.
                    taken.insert(0, f"from {module} import {', '.join(own)}")
                meant.setdefault(real, {})[line] = (stands, "; ".join(taken))
        for match in _LONG_IMPORT.finditer(data):
            if any(name in match[2] for name in names):
                line = data.count(b"\n", 0, match.start()) + 1
                rows = _long(
                    files[real], match[0].decode("utf-8", "replace"), files, exports
                )
                for number, row in rows.items():
                    meant.setdefault(real, {})[line + number] = row
    return meant


def _long(
    path: pathlib.Path,
    text: str,
    files: dict[str, pathlib.Path],
    exports: dict[str, dict[str, str]],
) -> Lines:
    """What an import over several lines means: row in it -> (what stands there, meant).

    The name of TensorFlow goes, and its import follows the closing parenthesis. One
    that has no other name, or has it in a line with the parenthesis, is not taken.
    """
    try:
        (node,) = ast.parse(text).body
    except (SyntaxError, ValueError):
        return {}
    assert isinstance(node, ast.ImportFrom)
    module = "." * node.level + (node.module or "")
    rows = text.split("\n")
    if rows[-1].partition("#")[0].strip() != ")":
        return {}
    found: Lines = {}
    taken = []
    for alias in node.names:
        source = _meant(path, module, alias.name, files, exports)
        if source is None:
            continue
        taken.append(f"import {source} as {alias.asname or alias.name}")
        row = alias.lineno - 1
        stands = rows[row].strip()
        names = found.get(row, ("", stands.partition("#")[0]))[1]
        shorter = re.sub(rf"\b{ast.unparse(alias)}\b\s*,?\s*", "", names, count=1)
        found[row] = (stands, shorter.strip())
    if not taken or len(taken) == len(node.names) or 0 in found:
        return {}
    found[len(rows) - 1] = (rows[-1].strip(), "; ".join([")", *taken]))
    return found


def _meant(
    path: pathlib.Path,
    module: str,
    name: str,
    files: dict[str, pathlib.Path],
    exports: dict[str, dict[str, str]],
) -> str | None:
    """The module of TensorFlow that a name of another file stands for, if it does."""
    source = _file(path, module, files)
    if source is None or source == os.path.realpath(path):
        return None
    found = exports.get(source, {}).get(name)
    return found if found and _alone(files[source], name) else None


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


def files_of(
    path: pathlib.Path, module: str, files: dict[str, pathlib.Path]
) -> Iterator[str]:
    """The file of the run that a module's name means in another file, if there is one."""
    found = _file(path, module, files)
    if found is not None:
        yield found


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
        if "import" in meant:
            changed.append(number)
    return "\n".join(found), changed


def apart(text: str) -> str:
    """The text with imports that `written_out` put in one line in lines of their own."""
    return _TOGETHER.sub(r"\1\2\n\1\3", text)
