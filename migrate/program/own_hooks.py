"""What a program's own hooks ask of the steps of its session."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.program.code import Code

# The name under which a step gives the global step to hooks that look it up.
GLOBAL_STEP = "global_step"
# That of all summaries of a step, where a hook merges them.
SUMMARIES = "summaries"


@dataclasses.dataclass(frozen=True, eq=False)
class Ask:
    """What one class of hooks asks for.

    Attributes:
      node: where.
      tensors: expressions of the program's graph, by the names that hooks call them.
      step: whether the global step is asked for by `tf.train.get_global_step`.
      always: whether every step is asked for it, from the first on.
      feeds: placeholders that it feeds.
    """

    node: ast.AST
    tensors: dict[str, ast.expr]
    step: bool
    always: bool
    feeds: frozenset[str] = frozenset()

    @property
    def summaries(self) -> bool:
        """Whether it is all summaries."""
        return SUMMARIES in self.tensors

    @property
    def reads(self) -> set[str]:
        """Names that it is computed from."""
        return set().union(set(), *[names.find_reads(e) for e in self.tensors.values()])


@dataclasses.dataclass(frozen=True, eq=False)
class OwnHooks:
    """The hooks that a program has written itself.

    Attributes:
      classes: their classes.
      edits: what is written in place of expressions, in them and where they are made.
      claimed: uses of TensorFlow's names -> (code, reason).
      asks: what they ask for.
      gone: statements of which nothing is left.
      made: whether the program makes any.
      refused: classes that stand in the way of a migration.
    """

    classes: tuple[ast.ClassDef, ...] = ()
    edits: dict[ast.AST, Code] = dataclasses.field(default_factory=dict)
    claimed: dict[ast.AST, tuple[str, str]] = dataclasses.field(default_factory=dict)
    asks: tuple[Ask, ...] = ()
    made: bool = False
    gone: tuple[ast.stmt, ...] = ()
    refused: frozenset[ast.AST] = frozenset()
