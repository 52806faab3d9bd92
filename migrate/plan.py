"""The plan: what each suite of a file will hold, in terms of the user's own statements.

The plan decides nothing about spelling: `Keep` is the user's statement with its
comments, `New` is text of ours with the user's expressions in its holes. Two
claims on one expression are an error here, not a surprise in the output.
"""

from __future__ import annotations

import ast
import dataclasses

from migrate.program.code import Code


class Conflict(ValueError):
    """Two rules claim the same expression, which is a fault of ours (G009)."""


@dataclasses.dataclass(eq=False)
class Keep:
    """The user's statement, with its nested suites replaced where given.

    `replace` holds expression edits of this copy only, `drop_targets` whether an
    assignment loses its targets.
    """

    statement: ast.stmt
    suites: dict[str, list[Item]] = dataclasses.field(default_factory=dict)
    replace: dict[ast.AST, Code] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(eq=False)
class New:
    """New statements; they take over the comments above `origin`.

    `replace` holds expression edits of the user's code in it.
    """

    code: Code
    origin: ast.stmt | None = None
    replace: dict[ast.AST, Code] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(eq=False)
class Block:
    """A new compound statement around items; `orelse` is an if's else suite."""

    code: Code
    items: list[Item]
    origin: ast.stmt | None = None
    orelse: list[Item] = dataclasses.field(default_factory=list)
    # Expression edits that hold inside this block only.
    replace: dict[ast.AST, Code] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(eq=False)
class Dropped:
    """A statement of which nothing is left; its comments go to the next item.

    `passes_on` says that they go to the next statement, if no item follows.
    """

    statement: ast.stmt
    passes_on: bool = False


Item = Keep | New | Block | Dropped


@dataclasses.dataclass
class Plan:
    """Everything that will change in one file."""

    # (owner of the suite, field) -> its new content.
    suites: dict[tuple[ast.AST, str], list[Item]] = dataclasses.field(
        default_factory=dict
    )
    expressions: dict[ast.AST, Code] = dataclasses.field(default_factory=dict)
    # Statements that become something else wherever they stand.
    statements: dict[ast.stmt, list[Item]] = dataclasses.field(default_factory=dict)
    # Import lines to be present, e.g. "import tf_keras".
    imports: list[str] = dataclasses.field(default_factory=list)
    # Comment lines above statements: refusals.
    notes: dict[ast.stmt, list[str]] = dataclasses.field(default_factory=dict)
    support: set[str] = dataclasses.field(default_factory=set)
    # Names that are imported for tensorflow.compat.v1 go on standing for it.
    keeps_compat: bool = False
    # The file stays one of TensorFlow 1: its imports stay as they are.
    whole: bool = False

    def replace(self, node: ast.AST, new: Code) -> None:
        if node in self.expressions and self.expressions[node] != new:
            raise Conflict(f"line {getattr(node, 'lineno', '?')} is claimed twice")
        self.expressions[node] = new

    @property
    def empty(self) -> bool:
        return not (self.suites or self.expressions or self.statements or self.notes)
