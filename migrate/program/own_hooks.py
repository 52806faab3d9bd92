"""Describes what a program's own hooks ask of the steps of their session."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.program.code import Code

# The name under which a step gives the global step to hooks that look it up.
GLOBAL_STEP = "global_step"
# The name of all summaries of a step, if a hook merges them.
SUMMARIES = "summaries"


@dataclasses.dataclass(frozen=True, eq=False)
class Ask:
    """The values that one class of hooks asks for.

    Attributes:
      node: the place.
      tensors: expressions of the program's graph, by the names that hooks use.
      step: whether it asks for the global step by `tf.train.get_global_step`.
      always: whether it asks every step, from the first on.
      feeds: placeholders that it feeds.
    """

    node: ast.AST
    tensors: dict[str, ast.expr]
    step: bool
    always: bool
    feeds: frozenset[str] = frozenset()

    @property
    def summaries(self) -> bool:
        """Whether it asks for all summaries."""
        return SUMMARIES in self.tensors

    @property
    def reads(self) -> set[str]:
        """Returns the names that its tensors are computed from."""
        return set().union(set(), *[names.find_reads(e) for e in self.tensors.values()])


@dataclasses.dataclass(frozen=True, eq=False)
class OwnHooks:
    """The hooks that a program has written itself.

    Attributes:
      classes: their classes.
      edits: the code that replaces expressions, in them and where they are made.
      claimed: uses of TensorFlow's names -> (code, reason).
      asks: the values that they ask for.
      gone: statements that are removed.
      made: whether the program makes any.
      refused: classes that prevent a migration.
    """

    classes: tuple[ast.ClassDef, ...] = ()
    edits: dict[ast.AST, Code] = dataclasses.field(default_factory=dict)
    claimed: dict[ast.AST, tuple[str, str]] = dataclasses.field(default_factory=dict)
    asks: tuple[Ask, ...] = ()
    made: bool = False
    gone: tuple[ast.stmt, ...] = ()
    refused: frozenset[ast.AST] = frozenset()
