"""Names that a file imports from TensorFlow, and that other files take from it.

A migration drops imports that the file does not use any more. It must not drop one for which another file of
the run says `from common import slim`, or `common.slim`.
"""

from __future__ import annotations

import ast
import os
import pathlib
import re
from collections.abc import Iterable, Iterator, Mapping

from migrate.facts.trees.reexports import Lines, find_files, write_out_imports
from migrate.rewriting.unused import exists, list_imported
from migrate.source.files import parse_file
from migrate.source.nodes import parse_or_none, walk_breadth_first
from migrate.source.python import read_or_nothing

_IMPORT = re.compile(rb"^[ \t]*(?:from|import)[ \t]+tensorflow\b", re.MULTILINE)
_WORD = re.compile(rb"\w+")
_INIT = "__init__"


def find_taken_imports(
    paths: Iterable[pathlib.Path], followed: Mapping[str, Lines]
) -> dict[str, frozenset[str]]:
    """Maps the real path of a file to its names of TensorFlow that others take from it.

    Args:
      paths: the files of the run.
      followed: the imports that the files that take them write out for themselves.
    """
    files = {os.path.realpath(path): path for path in paths if os.path.isfile(path)}
    texts = {real: read_or_nothing(path) for real, path in files.items()}
    modules = {real: path for real, path in files.items() if path.suffix == ".py"}
    words = {real: frozenset(_WORD.findall(data)) for real, data in texts.items()}
    found = {}
    for real in modules:
        names = _list_names(texts[real]) if _IMPORT.search(texts[real]) else {}
        if not names:
            continue
        path = pathlib.Path(real)
        stem = path.parent.name if path.stem == _INIT else path.stem
        taken: set[str] = set()
        for other, data in texts.items():
            # In its own directory a package is named by a single dot.
            named = stem.encode() in words[other] or path.stem == _INIT
            here = {name for name in names if name.encode() in words[other]}
            if other == real or not named:
                continue
            if not here and b"*" not in data:
                continue
            taken |= set(
                _find_taken(
                    data, files[other], real, names, modules, followed.get(other, {})
                )
            )
        if taken:
            found[real] = frozenset(taken)
    return found


def _list_names(data: bytes) -> dict[str, bool]:
    """Maps a file's names from TensorFlow to whether TensorFlow 2 has them."""
    tree = parse_or_none(data)
    if tree is None:
        return {}
    return {one.bound: exists(one.path) for one in list_imported(tree) if one.bound}


def _find_taken(
    data: bytes,
    path: pathlib.Path,
    source: str,
    names: Mapping[str, bool],
    modules: dict[str, pathlib.Path],
    followed: Lines,
) -> Iterator[str]:
    """The names that a file takes, or may take, from another one."""
    # A cell may run a file as if its lines were there.
    runs = path.suffix == ".ipynb" and b"%run" in data
    tree = None if runs else parse_file(path, data)
    if tree is None:
        if _may_import(data, source):
            spoken = set(_WORD.findall(data))
            yield from (name for name in names if name.encode() in spoken)
        return
    as_written = set(_list_taken(tree, path, source, modules))
    yield from (
        n for n, exists_in_2 in names.items() if exists_in_2 and n in as_written
    )
    if followed:
        # The migrated file no longer takes names that TensorFlow 2 lacks from there.
        text = write_out_imports(data.decode("utf-8", "replace"), followed)[0]
        tree = parse_or_none(text) or tree
        as_written = set(_list_taken(tree, path, source, modules))
    yield from (
        n for n, exists_in_2 in names.items() if not exists_in_2 and n in as_written
    )


def _may_import(data: bytes, source: str) -> bool:
    """Whether a line of a file that is no Python 3 imports `source`, or runs it."""
    path = pathlib.Path(source)
    stem = path.parent.name if path.stem == _INIT else path.stem
    line = rf"(?:\bfrom|\bimport|%run|\bexecfile)\b.*\b{re.escape(stem)}\b"
    if path.stem == _INIT:
        line += r"|\bfrom[ \t]+\."
    return re.search(line.encode(), data) is not None


def _list_taken(
    tree: ast.Module,
    path: pathlib.Path,
    source: str,
    modules: dict[str, pathlib.Path],
) -> Iterator[str]:
    """Yields the names that a file imports from another, or reads as its attributes."""

    def means(module: str) -> bool:
        return source in find_files(path, module, modules)

    nodes = list(walk_breadth_first(tree))
    called: set[str] = set()  # The last parts of the other file's names.
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            whole = means(module)
            for alias in node.names:
                inner = f"{module}{'' if module.endswith('.') else '.'}{alias.name}"
                if whole and alias.name == "*":
                    own = {one.bound for one in list_imported(tree)}
                    yield from (
                        n.id
                        for n in nodes
                        if isinstance(n, ast.Name) and n.id not in own
                    )
                elif whole:
                    yield alias.name
                if means(inner):
                    called.add(alias.asname or alias.name)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if means(alias.name):
                    called.add(alias.asname or alias.name.rpartition(".")[2])
    for node in nodes:
        if isinstance(node, ast.Attribute):
            owner = node.value
            last = owner.attr if isinstance(owner, ast.Attribute) else None
            last = owner.id if isinstance(owner, ast.Name) else last
            if last in called:
                yield node.attr
        elif called and isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value.rpartition(".")[
                2
            ]  # getattr(common, "slim"), a mock's patch
