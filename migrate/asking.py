"""`migrate --write --interactive`: each program is written when its user says so."""

from __future__ import annotations

import pathlib

import click

from migrate.beside.written import Beside
from migrate.pipeline import FileResult
from migrate.report import display


class Asking:
    """Asks for one program after the other; "all" and "quit" answer for the rest."""

    def __init__(self) -> None:
        self._answer = ""
        self.left: list[pathlib.Path] = []

    def accept(self, program: list[FileResult], beside: Beside) -> list[FileResult]:
        """The program's results; without changes where the user does not want them."""
        changed = [r for r in program if r.changed]
        if not changed:
            return program
        answer = self._answer or self._ask(changed, beside)
        if answer in ("yes", "all"):
            return program
        self.left += [r.path for r in changed]
        return [_leave(r) for r in program]

    def _ask(self, changed: list[FileResult], beside: Beside) -> str:
        from migrate.show import print_diffs

        names = ", ".join(display(r.path) for r in changed)
        while True:
            answer: str = click.prompt(
                f"Write {names}? yes, no, diff, all, quit",
                type=click.Choice(["yes", "no", "diff", "all", "quit"]),
                show_choices=False,
                err=True,
            )
            if answer != "diff":
                break
            print_diffs(changed, set(), beside)
        if answer in ("all", "quit"):
            self._answer = answer
        return answer


def _leave(result: FileResult) -> FileResult:
    """The result of a file that the user leaves: as if nobody had asked for it."""
    return FileResult(result.path)
