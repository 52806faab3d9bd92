"""The command `tf1to2 verify`."""

from __future__ import annotations

import pathlib
import sys
import tempfile
from collections.abc import Sequence

import click

from reference.verify import report, text
from reference.verify.runs import Limits
from reference.verify.verification import Request, clean, verify


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
        if quiet:
            return
        end = "\r" if shown else "\n"
        click.echo(f"{line:<70}" if shown else line, err=True, nl=False)
        click.echo(end, err=True, nl=False)

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
            click.echo(" " * 70 + "\r", err=True, nl=False)
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
