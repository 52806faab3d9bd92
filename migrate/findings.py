"""What the tool has to say about one place of a source file."""

from __future__ import annotations

import ast
import dataclasses
import enum


class Outcome(enum.Enum):
    """What became of a construct. There is no other way: nothing is silent."""

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
