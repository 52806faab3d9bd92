"""Shows the progress of a run, if standard error is a terminal."""

from __future__ import annotations

import sys
from typing import Any

import click

_MANY = 8  # Files worth a progress bar.


class Progress:
    """A bar on a terminal's standard error, when there is enough to wait for."""

    def __init__(self, quiet: bool) -> None:
        self._shown = sys.stderr.isatty() and not quiet
        self._bar: Any = None
        self._done = 0
        self.total = 0

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.render_finish()

    def start_progress(self, what: str = "reading") -> None:
        """Says at once that something is done; importing the compiler takes a moment."""
        if self._shown:
            click.echo(f"{what} ...\r", nl=False, err=True)

    def show(self, done: int, total: int) -> None:
        self.total = total
        if not self._shown or total < _MANY:
            return
        if self._bar is None:
            self._bar = click.progressbar(
                length=total,
                label="files",
                # One large file says nothing about the others.
                show_eta=False,
                show_pos=True,
                file=sys.stderr,
            )
            self._bar.render_progress()
        self._bar.update(done - self._done)
        self._done = done
