"""Diffs on standard output, in colours where that is a terminal."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import sys

import click

from migrate import diff, emitted, notebook_diff
from migrate.beside.written import Beside
from migrate.file_result import FileResult


@dataclasses.dataclass
class Diffs:
    """The diffs of a run, each module beside programs once.

    A new module is only named, unless its user asks for more: a thousand new lines, the
    same for every program, would drown what one wants to see.

    Attributes:
      whole: whether new modules are printed line by line, as `git apply` needs them.
      shown: modules that have been shown already.
    """

    whole: bool = False
    shown: set[pathlib.Path] = dataclasses.field(default_factory=set)

    def print_program(
        self, program: list[FileResult], beside: Beside
    ) -> list[FileResult]:
        """Prints the diffs of a program's files, and gives their results.

        Args:
          beside: the modules of the run.
        """
        for result in program:
            if result.changed:
                _print_file(result)
                self._print_modules(result, beside)
        return program

    def _print_modules(self, result: FileResult, beside: Beside) -> None:
        if not result.support:
            return
        new: dict[str, list[int]] = {}  # Of a new module, the lines of its files.
        for name, source in beside.list_files(beside.find_home(result)).items():
            path = result.place_module(name, result.path)
            if path in self.shown:
                continue
            self.shown.add(path)
            old = path.read_bytes() if path.exists() else None
            if old is None and not self.whole:
                new.setdefault(emitted.find_module(name), []).append(
                    source.count(b"\n")
                )
            elif old != source:
                _echo_diff(old, source, os.fsencode(path))
        for module, lines in new.items():
            (shown,) = emitted.name_for_reader([emitted.list_files(module)[0]])
            path = result.place_module(shown.rstrip("/"), result.path)
            _print_folded(path, shown.endswith("/"), lines)


def _print_folded(path: pathlib.Path, package: bool, lines: list[int]) -> None:
    files = "" if len(lines) == 1 else f" in {len(lines)} files"
    name = f"{click.format_filename(path)}{'/' * package}"
    click.secho(
        f"New beside it: {name}, {sum(lines)} lines{files} (--with-modules prints them)",
        fg="green",
    )


def _print_file(result: FileResult) -> None:
    shown_as = os.fsencode(result.path)
    if result.python3:  # Two steps, two diffs.
        _echo_diff(result.old, result.python3, shown_as)
    if result.python3 != result.new:
        _echo_diff(result.python3 or result.old, result.new, shown_as)


def _echo_diff(old: bytes | None, new: bytes, name: bytes) -> None:
    unified = (
        notebook_diff.make_unified_diff
        if name.endswith(b".ipynb")
        else diff.make_unified_diff
    )
    colours = {b"+": b"\x1b[32m", b"-": b"\x1b[31m", b"@": b"\x1b[36m"}
    colourful = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    for line in unified(old, new, name):
        colour = colours.get(line[:1]) if colourful else None
        text = line.rstrip(b"\n")
        end = line[len(text) :]
        click.echo(colour + text + b"\x1b[0m" + end if colour else line, nl=False)
