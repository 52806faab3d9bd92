"""Statements of a model_fn, out of the ifs and withs around them."""

from __future__ import annotations

import ast
import dataclasses


@dataclasses.dataclass(frozen=True, eq=False)
class Unit:
    """A statement that a mode runs, and the ifs and withs around it that are gone.

    Attributes:
      statement: simple, or a compound one that does not depend on the mode.
      around: statements whose suite it was first in, outermost first; their comments
        stand above it now.
    """

    statement: ast.stmt
    around: tuple[ast.stmt, ...] = ()
