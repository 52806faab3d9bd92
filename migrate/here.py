"""`tf1to2` alone: what is in this directory, and what to type next."""

from __future__ import annotations

import itertools
import os
import pathlib

import click

_MOST = 5000  # Files that are looked at: nobody waits for an answer to a question not asked.
_TENSORFLOW = b"tensorflow"


def describe_here(directory: pathlib.Path) -> None:
    """Prints how many programs of a directory use TensorFlow, and the next step."""
    from migrate.disk import discover
    from migrate.facts.trees.programs import Imports
    from migrate.report.summary import plural

    files = list(
        itertools.islice(
            filter(
                discover.is_source, discover.walk(directory, on_error=lambda e: None)
            ),
            _MOST + 1,
        )
    )
    some = "more than " if len(files) > _MOST else ""
    files = files[:_MOST]
    using = [file for file in files if _uses_tensorflow(file)]
    imports = Imports({os.path.realpath(file): file for file in using})
    started = [
        file for file in using if imports.starts(os.path.realpath(file), imported=False)
    ]
    click.echo(
        f"{some}{plural(len(files), 'Python file')} and notebooks here; "
        f"{len(using)} of them {'names' if len(using) == 1 else 'name'} TensorFlow"
        + (f", {len(started)} of which can be started." if using else ".")
    )
    click.echo()
    click.secho("Next", bold=True)
    if using:
        _say("tf1to2 check .", "the programs: what each becomes, what blocks it")
        if started:
            first = os.path.relpath(started[0], directory)
            _say(f"tf1to2 migrate {first} --diff", "one of them, before and after")
    else:
        _say("tf1to2 demo", "a program of forty lines, before and after")
        _say("tf1to2 check PATH", "the programs of another directory")
    _say("tf1to2 --help", "all commands")


def _say(command: str, purpose: str) -> None:
    click.echo(f"  {command:<40}  {click.style(purpose, dim=True)}")


def _uses_tensorflow(file: pathlib.Path) -> bool:
    try:
        return _TENSORFLOW in file.read_bytes()
    except OSError:
        return False
