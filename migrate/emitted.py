"""The modules that results import: files of `migrate/support/`, written beside a program.

A module is a file or a package of several. A file's name is its path from the directory
that the module is imported from: `plain_session.py`, `training_session/hooks.py`.
"""

from __future__ import annotations

import functools
import importlib.resources
import pathlib
from collections.abc import Iterable, Iterator
from importlib.resources.abc import Traversable

_FOLDER = "migrate.support"


@functools.cache
def names() -> frozenset[str]:
    """The names of all files that can be written beside a program."""
    root = importlib.resources.files(_FOLDER)
    return frozenset(_files(root)) - {"__init__.py"}


def _files(folder: Traversable, within: str = "") -> Iterator[str]:
    for item in folder.iterdir():
        if item.is_dir():
            yield from _files(item, f"{within}{item.name}/")
        elif item.name.endswith(".py"):
            yield within + item.name


@functools.cache
def files(module: str) -> tuple[str, ...]:
    """The files that a module consists of; none where it is no emitted module."""
    return tuple(sorted(name for name in names() if module_of(name) == module))


def module_of(name: str) -> str:
    """The module that a file belongs to."""
    return name.partition("/")[0].removesuffix(".py")


def shown(wanted: Iterable[str]) -> tuple[str, ...]:
    """Files as one names them to a reader: a package as a directory."""
    parts = (name.partition("/") for name in wanted)
    return tuple(dict.fromkeys(top + slash for top, slash, _ in parts))


def rival(name: str) -> str:
    """What `import` would take in a file's place, or would not find because of it.

    Of a package's file the module of the same name, of a module the package.
    """
    module = module_of(name)
    return f"{module}.py" if "/" in name else f"{module}/__init__.py"


@functools.cache
def source(name: str) -> bytes:
    """The bytes of a file."""
    return importlib.resources.files(_FOLDER).joinpath(*name.split("/")).read_bytes()


def is_emitted(path: pathlib.Path, data: bytes) -> bool:
    """Whether a file is one that the tool itself has written."""
    candidates = (path.name, f"{path.parent.name}/{path.name}")
    return any(name in names() and data == source(name) for name in candidates)


def write(wanted: Iterable[str], directory: pathlib.Path) -> None:
    """Writes files below a directory, over what is there."""
    for name in wanted:
        target = directory / name
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(source(name))
