"""`tf1to2` alone: what is in this directory, and what to type next."""

from __future__ import annotations

import itertools
import os
import pathlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from migrate.packages import Edit
    from migrate.report.triage import Triage

_MOST_FILES = 5000  # Files that are looked at.
_MOST_USING = 300  # Files with TensorFlow that are read without being asked to.
_NAMED = 8  # Programs, and places, that are named one by one.
_TENSORFLOW = b"tensorflow"


def describe_here(directory: pathlib.Path) -> None:
    """Prints the programs of a directory, as `check` finds them, and the next step."""
    from migrate.disk import discover
    from migrate.report.summary import spell_plural

    walked = discover.walk(directory, on_error=lambda error: None)
    files = list(itertools.islice(filter(discover.is_source, walked), _MOST_FILES + 1))
    using = [file for file in files[:_MOST_FILES] if _names_tensorflow(file)]
    if len(files) > _MOST_FILES:
        click.echo(f"More than {_MOST_FILES} Python files are here.")
        _print_steps([("tf1to2 check DIR", "the programs of a directory among them")])
    elif len(using) > _MOST_USING:
        click.echo(f"{spell_plural(len(using), 'file')} here use TensorFlow.")
        _print_steps([("tf1to2 check .", "read them all; this can take minutes")])
    elif not using:
        click.echo("No Python file here uses TensorFlow.")
        steps = [
            ("tf1to2 demo", "see a program of forty lines before and after"),
            ("tf1to2 check PATH", "list the programs of another directory"),
        ]
        _print_steps(steps)
    else:
        _describe_programs(directory, len(using))


def _describe_programs(directory: pathlib.Path, using: int) -> None:
    """Prints a short form of what `check` reports about the directory."""
    from migrate import packages
    from migrate.report import triage
    from migrate.report.summary import spell_plural

    found = _run_check(directory)
    asked = packages.find_edits(directory)
    if found.entries:
        click.echo(triage.write_verdict(found))
        click.echo()
        for line in _name_programs(found):
            click.echo(f"  {line}")
    else:
        verb = "uses" if using == 1 else "use"
        click.echo(
            f"{spell_plural(using, 'file')} here {verb} TensorFlow, and nothing in them is left to "
            "migrate."
        )
    places = list(_name_places(asked, directory))
    if places:
        click.echo()
        click.echo("TensorFlow 1 is asked for in")
        for line in places:
            click.echo(f"  {line}")
    _print_steps(list(_find_steps(found, bool(asked), directory)))


def _run_check(directory: pathlib.Path) -> Triage:
    """The programs as `tf1to2 check .` finds them, which takes from this what it found."""
    from migrate.cli import check
    from migrate.job import Job
    from migrate.report import summary, triage

    context = check.make_context("check", [os.fspath(directory)])
    job = Job(context.params)
    results = job.run(lambda result: result)
    if job.interrupted:
        raise KeyboardInterrupt
    return triage.triage(summary.Run(results))


def _name_programs(found: Triage) -> Iterator[str]:
    from migrate.report import triage
    from migrate.report.summary import spell_plural

    named = found.entries[:_NAMED]
    width = max(len(found.shorten(entry.path)) for entry in named)
    for entry in named:
        name = f"{found.shorten(entry.path):<{width}}"
        state = triage.choose_badge(found, entry)
        if entry.places and not entry.ready:
            state = f"blocked at {state}"
        yield f"{name}  {triage.describe_kind(entry)}: {state}"
    if len(found.entries) > _NAMED:
        yield f"and {spell_plural(len(found.entries) - _NAMED, 'more program')}"


def _name_places(asked: Sequence[Edit], directory: pathlib.Path) -> Iterator[str]:
    """Requirements and images of TensorFlow 1, each with its place."""
    from migrate.report.summary import spell_plural

    places = [
        f"{os.path.relpath(edit.path, directory)}:{line}: {old}"
        for edit in asked
        for line, old, _ in edit.lines
        if old
    ]
    places += [
        f"{os.path.relpath(edit.path, directory)}:{line}: {told}"
        for edit in asked
        for line, told in edit.by_hand
    ]
    yield from places[:_NAMED]
    if len(places) > _NAMED:
        yield f"and {spell_plural(len(places) - _NAMED, 'more place')}"


def _find_steps(
    found: Triage, asked: bool, directory: pathlib.Path
) -> Iterator[tuple[str, str]]:
    from migrate.report import triage

    if found.entries:
        yield "tf1to2 check .", "list what each program becomes, and what blocks it"
    if (first := triage.find_first(found)) is not None:
        name = os.path.relpath(first.path, directory)
        yield f"tf1to2 migrate {name} --diff", "see one program before and after"
    if asked:
        yield "tf1to2 packages . --diff", "see the new requirements"


def _print_steps(steps: list[tuple[str, str]]) -> None:
    steps.append(("tf1to2 --help", "list all commands"))
    width = max(len(command) for command, _ in steps)
    click.echo()
    click.secho("Next", bold=True)
    for command, purpose in steps:
        click.echo(f"  {command:<{width}}  {click.style(purpose, dim=True)}")


def _names_tensorflow(file: pathlib.Path) -> bool:
    try:
        return _TENSORFLOW in file.read_bytes()
    except OSError:
        return False
