"""Declares findings: each reports about one place of a source file."""

from __future__ import annotations

import ast
import dataclasses
import enum
import re
from collections.abc import Callable, Sequence

# Of a session that objects hold: a reason that says nothing of the rest of the file.
NO_OBJECT = "this file makes no object of the class"
# Of a fetch from a graph that was loaded: what the program builds beside it is not read.
LOADED_GRAPH = "The tool migrates graphs that the program builds"
# A line that a text names; one of another file follows that file's name.
_NAMED_LINE = re.compile(r"(?<!\.py, )\bline (\d+)\b")


class Outcome(enum.Enum):
    """The outcome of a construct. Every construct has one: nothing is silent."""

    REWRITTEN = "rewritten"
    KEPT = "kept"
    # It keeps its whole program from being migrated.
    REFUSED = "refused"
    # Nothing of TensorFlow 1 is left behind, and only the author can decide what is meant:
    # a mistake that the program had before, a division of Python 2.
    WARNED = "warning"
    # The file itself could not be handled (not readable, not Python 3, a gate failed).
    FAILED = "failed"


@dataclasses.dataclass(frozen=True, order=True)
class Finding:
    """One construct at one place, and what became of it.

    Attributes:
      line: 1-based line in the source text (in a notebook: in its cell).
      column: 1-based column.
      code: stable code, one letter and three digits; `migrate.codes` explains it.
      outcome: what happened.
      symbol: the resolved TF1 symbol ("tf.train.Server"), or "" where none is meant.
      reason: one sentence for the user; for a rewrite, what it became.
      recipe: for a refusal, what to do by hand; may be several lines.
      cell: 0-based index of the notebook cell, None in a .py file.
      target: of a symbol's rule: how the use is spelled in the result.
      unused: whether nothing of the program calls the code: it stays, and is told, and
        decides nothing.
      through_compat: whether it is kept only because its program runs through compat.v1:
        it keeps the program from being one of TensorFlow 2.
      noted: whether short reports tell it, too: nothing is left to do, but something is
        not done any more, or a mistake is mended.
      hidden: whether the user does not want to be told (--select, --ignore): it decides
        all the same.
    """

    line: int
    column: int
    code: str
    outcome: Outcome = dataclasses.field(compare=False)
    symbol: str = ""
    reason: str = ""
    recipe: str = ""
    cell: int | None = None
    target: str = dataclasses.field(default="", compare=False)
    unused: bool = dataclasses.field(default=False, compare=False)
    through_compat: bool = dataclasses.field(default=False, compare=False)
    noted: bool = dataclasses.field(default=False, compare=False)
    hidden: bool = dataclasses.field(default=False, compare=False)

    @property
    def blocks(self) -> bool:
        """Whether it keeps its file, and so its program, from being migrated."""
        if self.outcome is Outcome.FAILED:
            return True
        return self.outcome is Outcome.REFUSED and not self.unused


def make_refusal(
    node: ast.stmt | ast.expr, code: str, symbol: str, reason: str, recipe: str
) -> Finding:
    """A refusal of what stands at a node."""
    return Finding(
        node.lineno, node.col_offset + 1, code, Outcome.REFUSED, symbol, reason, recipe
    )


def rename_lines(prose: str, find_place: Callable[[int], str]) -> str:
    """A text with the places that the lines which it names have elsewhere.

    Args:
      find_place: of a line: "line 3"; "" if it has no place there.
    """
    return _NAMED_LINE.sub(
        lambda named: find_place(int(named[1])) or "another line", prose
    )


def rename_moved_lines(prose: str, origins: Sequence[int]) -> str:
    """A text about lines of a file of which each stands for one of another, or for none.

    Args:
      origins: for each line, that of the other file; 0 where it stands for none.
    """

    def find_place(line: int) -> str:
        origin = origins[line - 1] if 0 < line <= len(origins) else 0
        return f"line {origin}" if origin else ""

    return rename_lines(prose, find_place)


def move_finding(finding: Finding, origins: Sequence[int]) -> Finding:
    """A finding about a file at its line in another, of which its lines are made.

    So are the other lines that it names.
    """
    return dataclasses.replace(
        finding,
        line=origins[finding.line - 1],
        reason=rename_moved_lines(finding.reason, origins),
        recipe=rename_moved_lines(finding.recipe, origins),
    )
