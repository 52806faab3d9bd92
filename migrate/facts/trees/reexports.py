"""Finds names for TensorFlow that files take from each other: `from .compat import tf`.

A file may take its name for TensorFlow, or for a module of the public API that it uses,
from another file of the run. Then the tool reads it as if it had the other file's import
itself. The same holds for names that `from compat import *` brings; see `stars`.
"""

from __future__ import annotations

import ast
import os
import pathlib
import re
from collections.abc import Iterable, Iterator, Mapping

from migrate.facts.trees import stars
from migrate.facts.trees.own_stars import Stars, find_own_stars
from migrate.facts.trees.stars import Exports
from migrate.source.python import map_real_paths, read_or_nothing

# An import of TensorFlow, or of a part of it, at the beginning of a line. Imports of
# private modules (tensorflow.python) are reported there, and stay as they are.
_PUBLIC = rb"tensorflow(?:\.(?!python\b|core\b)\w+)*"
_EXPORT = re.compile(
    rb"^(?:import (" + _PUBLIC + rb") as (\w+)"
    rb"|from (" + _PUBLIC + rb") import (\w[\w \t,]*?))[ \t]*(?:#.*)?\r?$",
    re.MULTILINE,
)
_IS_WHOLE = re.compile(r"import tensorflow(\.compat\.v1)? as|from tensorflow\.compat ")
# `from module import name, other as its_name`, in one line.
_IMPORT = re.compile(
    rb"^[ \t]*from (\.*[\w.]*) import (\w[\w \t,]*?)[ \t]*(?:#.*)?\r?$",
    re.MULTILINE,
)
# The same over several lines, in parentheses, at the top level of the module.
_LONG_IMPORT = re.compile(
    rb"^from (\.*[\w.]*) import[ \t]*\(([^()]*\n[^()]*)\)[ \t]*(?:#.*)?\r?$",
    re.MULTILINE,
)
# The result of `write_out_imports` for an import that takes other names too.
_TOGETHER = re.compile(
    r"^([ \t]*)(from \S+ import (?:\*|[\w ,]+)|\)"
    r"|(?:import|from) tensorflow[\w.]* (?:as|import) [\w ]+)"
    r"; ((?:import|from) tensorflow[\w.]* (?:as|import) \w)",
    re.MULTILINE,
)
# Line -> its text, and the import of TensorFlow that it means.
Lines = dict[int, tuple[str, str]]


def find_reexports(paths: Iterable[pathlib.Path]) -> dict[str, Lines]:
    """Maps the real path of a file to its imports of other files' TensorFlow."""
    files = map_real_paths(paths)
    texts = {real: read_or_nothing(path) for real, path in files.items()}
    exports = {
        real: found
        for real, data in texts.items()
        if b"tensorflow" in data and (found := find_exports(data))
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
                statement = None
                bound = other.strip() or name
                if name.encode() in names:
                    source = files[real]
                    statement = _spell_direct_import(
                        source, module, name, bound, files, exports
                    )
                if statement is None:
                    own.append(item.strip())
                else:
                    taken.append(statement)
            if taken:
                line = data.count(b"\n", 0, match.start()) + 1
                stands = match[0].decode("utf-8", "replace").strip()
                if own:  # In one line, so that all other lines keep their numbers.
                    taken.insert(0, f"from {module} import {', '.join(own)}")
                meant.setdefault(real, {})[line] = (stands, "; ".join(taken))
        for match in _LONG_IMPORT.finditer(data):
            if any(name in match[2] for name in names):
                line = data.count(b"\n", 0, match.start()) + 1
                rows = _read_long_import(
                    files[real], match[0].decode("utf-8", "replace"), files, exports
                )
                for number, row in rows.items():
                    meant.setdefault(real, {})[line + number] = row
    brought = stars.find_star_names(
        texts, exports, lambda path, module: _find_file(path, module, files)
    )
    for real, of_stars in brought.items():
        for line, (stands, statements) in of_stars.items():
            whole = stands.partition("#")[0].strip()
            meant.setdefault(real, {})[line] = (stands, "; ".join([whole, *statements]))
    return meant


def find_star_names(
    paths: Iterable[pathlib.Path], followed: Mapping[str, Lines]
) -> dict[str, Stars]:
    """Maps the real path of a file to its star imports, as imports of names.

    Args:
      followed: the meaning of imports of TensorFlow.
    """
    files = {os.path.realpath(path): path for path in paths if os.path.isfile(path)}
    texts = {real: read_or_nothing(path) for real, path in files.items()}
    modules = {real: path for real, path in files.items() if path.suffix == ".py"}
    return find_own_stars(
        {real: texts[real] for real in modules},
        [text for real, text in texts.items() if real not in modules],
        lambda real, name: _find_file(pathlib.Path(real), name, modules),
        followed,
    )


def _read_long_import(
    path: pathlib.Path,
    text: str,
    files: dict[str, pathlib.Path],
    exports: Mapping[str, Exports],
) -> Lines:
    """Maps the rows of a long import to (text, meaning).

    The name of TensorFlow goes, and its import follows the closing parenthesis. An import
    is not taken if it has no other name, or a name in one line with the parenthesis.
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
        own = alias.asname or alias.name
        statement = _spell_direct_import(path, module, alias.name, own, files, exports)
        if statement is None:
            continue
        taken.append(statement)
        row = alias.lineno - 1
        stands = rows[row].strip()
        names = found.get(row, ("", stands.partition("#")[0]))[1]
        shorter = re.sub(rf"\b{ast.unparse(alias)}\b\s*,?\s*", "", names, count=1)
        found[row] = (stands, shorter.strip())
    if not taken or len(taken) == len(node.names) or 0 in found:
        return {}
    found[len(rows) - 1] = (rows[-1].strip(), "; ".join([")", *taken]))
    return found


def _spell_direct_import(
    path: pathlib.Path,
    module: str,
    name: str,
    own: str,
    files: dict[str, pathlib.Path],
    exports: Mapping[str, Exports],
) -> str | None:
    """Returns the direct import of an object that a file takes from another, if allowed."""
    source = _find_file(path, module, files)
    if source is None or source == os.path.realpath(path):
        return None
    found = exports.get(source, {}).get(name)
    if not found or not stars.is_bound_once(read_or_nothing(files[source]), name):
        return None
    if not _IS_WHOLE.match(found):
        # A file that only hands the object on does not become a user of TensorFlow.
        used = re.compile(rb"\b" + own.encode() + rb"[.(]")
        if not used.search(read_or_nothing(path)):
            return None
    return stars.write_import(found, own)


def find_exports(data: bytes) -> Exports:
    """Returns a text's names for TensorFlow and its parts, with their imports."""
    found: dict[str, str] = {}
    for match in _EXPORT.finditer(data):
        if match[1]:
            found[match[2].decode()] = f"import {match[1].decode()} as {{}}"
            continue
        for item in match[4].decode().split(","):
            name, _, other = item.strip().partition(" as ")
            if name and other.strip() != name:
                start = f"from {match[3].decode()} import {name}"
                found[other.strip() or name] = f"{start} as {{}}"
    return found


def find_files(
    path: pathlib.Path, module: str, files: dict[str, pathlib.Path]
) -> Iterator[str]:
    """Yields the files of the run that a module's name may mean in another file."""
    found = _find_file(path, module, files)
    if found is not None:
        yield found


def _find_file(
    path: pathlib.Path, module: str, files: dict[str, pathlib.Path]
) -> str | None:
    """Returns the file of the run that a module's name means, in the nearest directory up."""
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


def write_out_imports(text: str, lines: Lines) -> tuple[str, list[int]]:
    """Returns the text with those imports written out, and their lines. Other lines stay."""
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


def split_imports(text: str) -> str:
    """Returns the text with each import of `write_out_imports` in lines of its own."""
    while (more := _TOGETHER.sub(r"\1\2\n\1\3", text)) != text:
        text = more
    return text
