"""Lists the files that programs need beside them, and those that a directory has."""

from __future__ import annotations

import functools
import os
import pathlib
import re
from collections.abc import Callable

from migrate import emitted
from migrate.beside.reach import Closure
from migrate.beside.remains import write_remains

_WORD = re.compile(r"\w+")


def collect_files(*texts: str) -> dict[str, bytes]:
    """The files that programs need beside them, by name.

    Args:
      texts: of the programs' files.
    """
    closure = Closure()
    for text in texts:
        add(closure.add_program, closure, text)
    return render(closure)


def write(directory: pathlib.Path, *texts: str) -> None:
    """Writes what programs need below a directory, over what is there."""
    for name, data in collect_files(*texts).items():
        path = directory / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)


def collect_whole_modules(modules: set[str]) -> dict[str, bytes]:
    """All files of modules, and of those that they import, by name."""
    found: dict[str, bytes] = {}
    known, todo = emitted.list_modules(), sorted(modules)
    while todo:
        for name in emitted.list_files(todo.pop()):
            if name not in found:
                found[name] = emitted.read_source(name)
                todo += known & set(_WORD.findall(found[name].decode()))
    return found


def is_unchanged(name: str, directory: pathlib.Path) -> bool:
    """Whether a file is as it was written: its user has changed nothing in it."""
    there = find_present(directory)
    written = read_written_files(tuple(sorted(there.items())))
    return name in there and there[name] in (
        written.get(name),
        emitted.read_source(name),
    )


@functools.lru_cache(maxsize=64)
def read_written_files(there: tuple[tuple[str, bytes], ...]) -> dict[str, bytes]:
    """The files that were written where these definitions are."""
    closure = Closure()
    for name, data in there:
        try:
            closure.add_file(name, data.decode())
        except (SyntaxError, ValueError):
            continue  # It is not one that we write.
    return render(closure)


def find_present(directory: pathlib.Path) -> dict[str, bytes]:
    """The emitted files that stand in a directory."""
    found: dict[str, bytes] = {}
    try:
        there = set(os.listdir(directory))
    except OSError:
        return found
    for name in emitted.list_names():
        if name.partition("/")[0] in there:
            path = directory / name
            try:
                data = path.read_bytes()
            except OSError:
                continue
            if emitted.is_emitted(path, data):
                found[name] = data
    return found


def render(closure: Closure) -> dict[str, bytes]:
    """The files of all that is reached, by name."""
    reached = closure.find_reached()
    return {name: write_remains(name, reached) for name in reached.files}


def add(how: Callable[[str], None], closure: Closure, text: str) -> None:
    """Adds a text to a closure in one of its ways; by its words, if it is no Python."""
    try:
        how(text)
    except (SyntaxError, ValueError, RecursionError):
        closure.add_words(_WORD.findall(text))
