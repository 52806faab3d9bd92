"""Lists, tuples and dicts that are written out once and used by name."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.program import ir
from migrate.program.binding_time import Analysis, list_every_flow
from migrate.program.ir import Flow
from migrate.source.nodes import walk_breadth_first


class Displays:
    """Finds what a name stands for, in the graph and in the loop.

    Attributes:
      consumed: statements of the loop whose display went into the run calls that name it.
    """

    def __init__(
        self,
        scopes: Scopes,
        analysis: Analysis,
        flows: list[Flow],
        tail: list[ast.stmt],
    ) -> None:
        self.scopes = scopes
        self.analysis = analysis
        self.flows = flows
        self.tail = tail
        self.consumed: set[ast.stmt] = set()

    def changes(self, name: str) -> bool:
        """Whether a list or dict that the graph or the loop writes out is changed."""
        statements = [
            *[f.statement for f in list_every_flow(self.flows)],
            *[
                n
                for t in self.tail
                for n in walk_breadth_first(t)
                if isinstance(n, ast.stmt)
            ],
        ]
        return any(
            isinstance(s, ast.Assign)
            and name in names.find_binds(s)
            and isinstance(s.value, (ast.List, ast.Dict))
            for s in statements
        ) and any(
            name in names.find_mutations(s)
            or (isinstance(s, ast.AugAssign) and names.find_key(s.target) == name)
            for s in statements
            if not names.list_suites(s)
        )

    def find_display(self, value: ast.expr) -> ast.expr:
        """The list, tuple or dict a name stands for, if it is written out once."""
        name = names.find_key(value)
        if name is None:
            return value
        found = [
            s
            for s in [
                *[f.statement for f in list_every_flow(self.flows)],
                *[
                    n
                    for t in self.tail
                    for n in walk_breadth_first(t)
                    if isinstance(n, ast.stmt)
                ],
            ]
            if not names.list_suites(s) and name in names.find_binds(s)
            if self._is_same_name(value, s)
        ]
        if len(found) == 1 and isinstance(found[0], ast.Assign):
            bound = _find_bound(found[0], name)
            if isinstance(bound, (ast.List, ast.Tuple, ast.Dict)):
                if self.analysis.environment.get(name) in ir.BUILD_KINDS:
                    return value  # Of variables, which are made once.
                if any(found[0] in walk_breadth_first(t) for t in self.tail):
                    if not self._is_only_run(name, value):
                        return value  # Something else sees, and may change, it.
                    self.consumed.add(found[0])
                return bound
        return value

    def _is_same_name(self, value: ast.expr, other: ast.AST) -> bool:
        """Whether a name is, in another place, the same one: not another function's."""
        if not isinstance(value, ast.Name):
            return True
        one, two = (
            self.scopes.find_scope(n).find_owner(value.id) for n in (value, other)
        )
        return one is two

    def _is_only_run(self, name: str, value: ast.expr) -> bool:
        """Whether a name of the loop is read by run calls and nothing else."""
        for statement in self.tail:
            for node in walk_breadth_first(statement):
                if (
                    isinstance(node, (ast.Name, ast.Attribute))
                    and isinstance(node.ctx, ast.Load)
                    and names.find_key(node) == name
                    and self._is_same_name(value, node)
                ):
                    call = self.scopes.parents[node]
                    if isinstance(call, ast.keyword):
                        call = self.scopes.parents[call]
                    if not (
                        isinstance(call, ast.Call)
                        and isinstance(call.func, ast.Attribute)
                        and call.func.attr == "run"
                    ):
                        return False
        return True


def _find_bound(assignment: ast.Assign, key: str) -> ast.expr | None:
    """What an assignment binds a name to, also as a part of a tuple: `y, z = a, b`."""
    value = assignment.value
    for target in assignment.targets:
        if names.find_key(target) == key:
            return value
        if (
            isinstance(target, (ast.Tuple, ast.List))
            and isinstance(value, (ast.Tuple, ast.List))
            and len(target.elts) == len(value.elts)
        ):
            for inner, part in zip(target.elts, value.elts, strict=True):
                if names.find_key(inner) == key:
                    return part
    return None
