"""The modules that results import: files of `migrate/support/`, written beside a program.

A module is a file or a package of several. A file's name is its path from the directory
that the module is imported from: `plain_session.py`, `training_session/hooks.py`.

A file's name alone does not make it ours: anybody may call a module `training_session`.
Each module says in its first lines who wrote it, and a file is ours where that still
stands in it (or in its package's first file), whatever else its user has changed, or
where it has a known content. `migrate.beside` says how much of each is written.
"""

from __future__ import annotations

import ast
import functools
import importlib.resources
import pathlib
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # Python 3.10 has it in importlib.abc, and 3.14 only here.
    from importlib.resources.abc import Traversable

_FOLDER = "migrate.support"
# Installed, the same files are one package: `migrate/runtime/` builds it.
PACKAGE = "tf1to2_runtime"
_FROM_PACKAGE = re.compile(rf"^[ \t]*from {PACKAGE} import ([\w, \t]+)", re.MULTILINE)
_MARK = re.compile(rb"Written (?:beside your program )?by tf1to2[;,.]")
# What says that the next statement, or its head, is for other units alone.
RESERVES = re.compile(
    rb"[ ]*# (Only|Head only) for (\w[\w.()!=]*(?: or [\w.()!=]+)*)\.$"
)
_FIRST_LINES = 5  # Of a file; its mark is in one of them.


@functools.cache
def list_names() -> frozenset[str]:
    """The names of all files that can be written beside a program."""
    root = importlib.resources.files(_FOLDER)
    return frozenset(_walk_files(root)) - {"__init__.py"}


def _walk_files(folder: Traversable, within: str = "") -> Iterator[str]:
    for item in folder.iterdir():
        if item.is_dir():
            yield from _walk_files(item, f"{within}{item.name}/")
        elif item.name.endswith(".py"):
            yield within + item.name


@functools.cache
def list_files(module: str) -> tuple[str, ...]:
    """The files that a module consists of; none where it is no emitted module."""
    return tuple(sorted(name for name in list_names() if find_module(name) == module))


def find_module(name: str) -> str:
    """The module that a file belongs to."""
    return name.partition("/")[0].removesuffix(".py")


def name_for_reader(wanted: Iterable[str]) -> tuple[str, ...]:
    """Files as one names them to a reader: a package as a directory."""
    parts = (name.partition("/") for name in wanted)
    return tuple(dict.fromkeys(top + slash for top, slash, _ in parts))


def name_rival(name: str) -> str:
    """Returns the file that hides an emitted file from `import`, or is hidden by it.

    It is the module of the same name for a package, and the package for a module.
    """
    module = find_module(name)
    return f"{module}.py" if "/" in name else f"{module}/__init__.py"


@functools.cache
def read_source(name: str) -> bytes:
    """The bytes of a file, as it is written beside a program at most."""
    lines = read_marked_source(name).splitlines(keepends=True)
    return b"".join(line for line in lines if not RESERVES.match(line))


@functools.cache
def read_marked_source(name: str) -> bytes:
    """The bytes of a file with the comments that `migrate.beside.reserved` reads."""
    return importlib.resources.files(_FOLDER).joinpath(*name.split("/")).read_bytes()


def is_emitted(path: pathlib.Path, data: bytes) -> bool:
    """Whether a file is one that the tool itself has written."""
    inside = f"{path.parent.name}/{path.name}"
    if path.name in list_names() and (
        data == read_source(path.name) or _is_marked(data)
    ):
        return True
    return inside in list_names() and (
        data == read_source(inside) or _is_marked(data) or _is_in_package(path)
    )


def _is_in_package(path: pathlib.Path) -> bool:
    """Whether a file stands in a package that says that the tool wrote it."""
    try:
        return _is_marked((path.parent / "__init__.py").read_bytes())
    except OSError:
        return False


def _is_marked(data: bytes) -> bool:
    """Whether a module's first lines say that the tool wrote it."""
    head = b"\n".join(data.split(b"\n", _FIRST_LINES)[:_FIRST_LINES])
    return bool(_MARK.search(head))


def find_taken_from_package(text: str) -> frozenset[str]:
    """The emitted modules that a file imports from the installed package."""
    words = " ".join(_FROM_PACKAGE.findall(text)).replace(",", " ")
    return list_modules() & frozenset(words.split())


def find_emitted_in_reach(path: pathlib.Path, text: str) -> frozenset[str]:
    """The emitted modules that stand where a file would import them from.

    They stand beside the file, or in a directory above it (see `facts.trees.homes`).
    Another module of the same name that is nearer is what Python would import.

    Args:
      path: the file.
      text: what stands in it.
    """
    here = path.resolve().parent
    return frozenset(
        module
        for module in list_modules()
        if module in text and _stands_in([here, *here.parents], module)
    )


def _stands_in(directories: Iterable[pathlib.Path], module: str) -> bool:
    for directory in directories:
        for name in (f"{module}/__init__.py", f"{module}.py"):
            try:
                data = (directory / name).read_bytes()
            except OSError:
                continue
            return is_emitted(directory / name, data)
    return False


@functools.cache
def list_modules() -> frozenset[str]:
    """The names of all modules that can be written beside a program."""
    return frozenset(map(find_module, list_names()))


def find_imported_module(binding: ast.AST, name: str) -> str | None:
    """The emitted module that a statement imports as a name, if it is one by its name."""
    if not isinstance(binding, (ast.Import, ast.ImportFrom)):
        return None
    above = getattr(binding, "module", None) or ""
    if above.partition(".")[0] == "tensorflow":
        return None
    for alias in binding.names:
        module = alias.name.rpartition(".")[2]
        if (alias.asname or module) == name and list_files(module):
            return module
    return None


@functools.cache
def list_attributes(module: str) -> frozenset[str]:
    """Lists the names that an emitted module defines, and its submodules."""
    top = f"{module}/__init__.py" if len(list_files(module)) > 1 else f"{module}.py"
    tree = ast.parse(read_source(top))
    found = {name for node in tree.body for name in _list_bound_names(node)}
    return frozenset(
        found | {pathlib.PurePosixPath(f).stem for f in list_files(module)}
    )


def _list_bound_names(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from (a.asname or a.name.partition(".")[0] for a in node.names)
    else:
        yield from (
            n.id
            for n in ast.walk(node)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        )


def write(wanted: Iterable[str], directory: pathlib.Path) -> None:
    """Writes whole files below a directory, over what is there."""
    for name in wanted:
        target = directory / name
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(read_source(name))
