"""Holds the state that every part of the layout reads and adds to."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts.scopes import Scopes
from migrate.plan import Plan
from migrate.program import ir
from migrate.program.binding_time import Diagnostics, list_every_flow
from migrate.program.code import Code, make_code
from migrate.program.ir import Flow


@dataclasses.dataclass(frozen=True)
class Context:
    """One program on its way to `tf.distribute`.

    Attributes:
      program: its meaning.
      scopes: its module's names.
      diagnostics: refusals; a program with any is left as it is.
      plan: the changes of its file.
      taken: names that are used in the module; grows by those that are chosen.
      flow_of: the graph's statements with their binding times.
    """

    program: ir.TrainingProgram
    scopes: Scopes
    diagnostics: Diagnostics
    plan: Plan
    taken: set[str]
    flow_of: dict[ast.stmt, Flow] = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        flows = {f.statement: f for f in list_every_flow(self.program.flows)}
        object.__setattr__(self, "flow_of", flows)

    def choose_free_name(self, wish: str) -> str:
        """Returns a name that is free, `wish` if possible."""
        name, number = wish, 2
        while name in self.taken:
            name, number = f"{wish}_{number}", number + 1
        self.taken.add(name)
        return name


def parenthesise(node: ast.expr) -> Code:
    """Returns an expression in such a form that `not` can precede it."""
    if isinstance(node, (ast.Name, ast.Attribute, ast.Call)):
        return make_code(node)
    return make_code("(", node, ")")
