"""The command `tf1to2 verify`."""

from __future__ import annotations

import pathlib
import shutil
import sys
import tempfile
from collections.abc import Sequence

import click

from reference.verify import report, text
from reference.verify.runs import Limits
from reference.verify.verification import Request, clean, verify


def fit_terminal(line: str) -> str:
    """The line in the place of the last one; a longer one would wrap, and stay there."""
    width = shutil.get_terminal_size().columns - 1
    return f"\r{line[:width]:<{width}}"


def run(
    old: pathlib.Path,
    new: pathlib.Path | None,
    arguments: Sequence[str],
    *,
    steps: int,
    timeout: float,
    size_limit: int,
    python: str | None,
    data: Sequence[pathlib.Path],
    root: pathlib.Path | None,
    launch: str,
    flags: str,
    ps: int | None,
    workers: int | None,
    reports: Sequence[pathlib.Path],
    keep: pathlib.Path | None,
    quiet: bool,
    verbose: bool,
) -> int:
    """Verifies, prints and saves reports; returns the exit code."""
    shown = sys.stderr.isatty()

    def say(line: str) -> None:
        if not quiet:
            click.echo(fit_terminal(line) if shown else line, err=True, nl=not shown)

    work = keep or pathlib.Path(tempfile.mkdtemp(prefix="tf1to2-verify-"))
    work.mkdir(parents=True, exist_ok=True)
    try:
        verdict = verify(
            Request(
                old,
                new,
                arguments,
                work.resolve(),
                Limits(steps, timeout, size_limit * 1_000_000),
                python,
                [path.resolve() for path in data],
                root,
                launch,
                ps,
                workers,
                flags,
                say=say,
            )
        )
        if shown and not quiet:
            click.echo(fit_terminal("") + "\r", err=True, nl=False)
        if quiet:
            click.echo(verdict.line)
        else:
            for line in text.lines(verdict, verbose):
                click.echo(line)
        for path in reports:
            report.save(path, verdict, str(old), str(new) if new else None)
        return verdict.outcome.exit_code
    finally:
        if keep is None:
            clean(work)
