"""`migrate --write --interactive`: each program is written when its user says so."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Sequence

import click

from migrate.beside.written import Beside
from migrate.file_result import FileResult
from migrate.report import display_path

Program = list[FileResult]

_ANSWERS = ("yes", "no", "diff", "all", "quit")
_CHOICES = ", ".join(f"[{answer[0]}]{answer[1:]}" for answer in _ANSWERS)
_NAMED = 3  # Files of a program that a question names.


class Asking:
    """Asks for one program after the other; "all" and "quit" answer for the rest."""

    def __init__(self) -> None:
        self.left: list[pathlib.Path] = []

    def choose(
        self,
        programs: Sequence[Program],
        make_beside: Callable[[Sequence[Program]], Beside],
    ) -> list[Program]:
        """The programs, without changes in those that the user does not accept.

        All questions are asked before anything is written: what goes beside the programs
        depends on all answers.

        Args:
          make_beside: gives the modules that programs have beside them, if all of them
            are written.

        Raises:
          KeyboardInterrupt: the user ends it, or there is nobody to answer.
        """
        chosen: list[Program] = []
        answer = ""
        for place, program in enumerate(programs):
            changed = [r for r in program if r.changed]
            if changed and answer not in ("all", "quit"):
                later = [_leave(later) for later in programs[place + 1 :]]
                beside = make_beside([*chosen, program, *later])
                answer = _ask(changed, beside)
            if changed and answer in ("no", "quit"):
                self.left += [r.path for r in changed]
                program = _leave(program)
            chosen.append(program)
        return chosen


def _ask(changed: Program, beside: Beside) -> str:
    from migrate.show import Diffs

    while True:
        try:
            answer: str = click.prompt(
                f"Write {_name_files(changed)}? {_CHOICES}",
                value_proc=_read_answer,
                err=True,
            )
        except click.Abort:
            raise KeyboardInterrupt from None
        if answer != "diff":
            return answer
        Diffs().print_program(changed, beside)


def _name_files(changed: Program) -> str:
    names = [display_path(r.path) for r in changed]
    more = len(names) - _NAMED
    if more <= 1:  # "and 1 more" takes as much room as a name.
        return ", ".join(names)
    return f"{', '.join(names[:_NAMED])} and {more} more files"


def _read_answer(text: str) -> str:
    """The answer that a text is, or begins.

    Raises:
      UsageError: it is none.
    """
    given = text.strip().lower()
    for answer in _ANSWERS:
        if given in (answer, answer[0]):
            return answer
    raise click.UsageError(f"answer with {', '.join(_ANSWERS)} or a first letter")


def _leave(program: Program) -> Program:
    """A program that the user declines: as if it had not been asked for."""
    return [FileResult(result.path) for result in program]
