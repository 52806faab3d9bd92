"""Diffs on standard output, in colours where that is a terminal."""

from __future__ import annotations

import os
import pathlib
import sys

import click

from migrate import diff, notebook_diff
from migrate.beside.written import Beside
from migrate.pipeline import FileResult


def print_diffs(
    program: list[FileResult], shown: set[pathlib.Path], beside: Beside
) -> list[FileResult]:
    """Prints the diffs of a program's files, and gives their results.

    Args:
      shown: modules that have been shown already; those of these files are added.
      beside: the modules of the run.
    """
    for result in program:
        _print_diff(result, shown, beside)
    return program


def _print_diff(result: FileResult, shown: set[pathlib.Path], beside: Beside) -> None:
    """The diff of a file, and of the modules that it has beside it.

    On a terminal a new module is only named: a thousand new lines, the same for every
    program, would drown what one wants to see.
    """
    if not result.changed:
        return
    shown_as = os.fsencode(result.path)
    if result.python3:  # Two steps, two diffs.
        _echo_diff(result.old, result.python3, shown_as)
    if result.python3 != result.new:
        _echo_diff(result.python3 or result.old, result.new, shown_as)
    if not result.support:
        return
    directory = beside.home(result)
    for name, source in beside.files(directory).items():
        path = result.place(name, result.path)
        if path in shown:
            continue
        shown.add(path)
        old = path.read_bytes() if path.exists() else None
        if old is None and sys.stdout.isatty():
            lines = source.count(b"\n")
            click.secho(
                f"+++ {click.format_filename(path)} (new, {lines} lines)", fg="green"
            )
        elif old != source:
            _echo_diff(old, source, os.fsencode(path))


def _echo_diff(old: bytes | None, new: bytes, name: bytes) -> None:
    unified = notebook_diff.unified if name.endswith(b".ipynb") else diff.unified
    colours = {b"+": b"\x1b[32m", b"-": b"\x1b[31m", b"@": b"\x1b[36m"}
    colourful = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    for line in unified(old, new, name):
        colour = colours.get(line[:1]) if colourful else None
        text = line.rstrip(b"\n")
        end = line[len(text) :]
        click.echo(colour + text + b"\x1b[0m" + end if colour else line, nl=False)
