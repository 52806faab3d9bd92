"""Lists of variables as they were when the list was made."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.scopes import Scopes
from migrate.program import ir
from migrate.program.binding_time import Analysis, list_every_flow
from migrate.program.code import make_code
from migrate.program.ir import Kind
from migrate.source.nodes import walk_breadth_first
from migrate.tables import plain_calls, roles
from migrate.tables.layers import LAYER_FUNCTIONS


class Snapshots:
    """Lists of all variables that a step asks for, where more are made afterwards.

    Attributes:
      early: those after which layers make more, which they do in the first step.
    """

    def __init__(self, scopes: Scopes, analysis: Analysis) -> None:
        self.scopes = scopes
        self.analysis = analysis
        self.early: set[ast.Call] = set()

    def take(self, flows: list[ir.Flow]) -> None:
        """Lists of all variables that a step asks for, where more are made afterwards.

        TF1 gave the list of those that there were when the graph was built so far.
        """
        linear = list_every_flow(flows)
        late = self.analysis.listed is Kind.TENSOR
        made = max((i for i, flow in enumerate(linear) if self._makes(flow)), default=0)
        if not made and late:  # Then a layer may be called first in a step.
            late_ones = (
                i for i, flow in enumerate(linear) if self._may_make_late(flow)
            )
            made = max(late_ones, default=0)
        for flow in linear[:made]:
            if flow.suites or not flow.step:
                continue
            for node in walk_breadth_first(flow.statement):
                if not isinstance(node, ast.Call):
                    continue
                symbol = self.scopes.resolve(node.func)
                if symbol not in roles.TRAINABLE and symbol != "tf.get_collection":
                    continue
                if self.analysis.find_kind(node) is not self.analysis.listed:
                    continue
                if late:
                    self.early.add(node)
                    continue
                name = self.analysis.choose_free_name("variables_by_then")
                flow.lifts.append(ir.Lift(node, name, make_code(node), make_code(name)))
                flow.build = True
        for block in reversed(linear):
            if any(inner.build for suite in block.suites.values() for inner in suite):
                block.build = True

    def _may_make_late(self, flow: ir.Flow) -> bool:
        """Whether a statement of a step may be the first that calls a layer or cell.

        All calls are taken for such but those that are known to compute only.
        """
        if not flow.step:
            return False
        for node in _walk_computing_nodes(flow):
            if not isinstance(node, ast.Call):
                continue
            symbol = self.scopes.resolve(node.func)
            if symbol is not None:
                if symbol in LAYER_FUNCTIONS or not symbol.startswith(
                    plain_calls.FUNCTIONS
                ):
                    return True
            elif isinstance(node.func, ast.Attribute):
                if node.func.attr not in plain_calls.METHODS:
                    return True
            elif not self._is_builtin(node.func):
                return True
        return False

    def _is_builtin(self, function: ast.expr) -> bool:
        return (
            isinstance(function, ast.Name)
            and function.id in plain_calls.BUILTINS
            and self.scopes.find_scope(function).find_owner(function.id) is None
        )

    def _makes(self, flow: ir.Flow) -> bool:
        """Whether a statement makes variables."""
        if flow.suites:
            return False
        for lift in flow.lifts:
            if lift.create.parts and isinstance(lift.node, ast.Call):
                symbol = self.scopes.resolve(lift.node.func)
                if (
                    symbol is None
                    or symbol in LAYER_FUNCTIONS
                    or symbol in roles.VARIABLES
                ):
                    return True
        if flow.lifts or not flow.build:
            return False
        return any(
            isinstance(node, ast.Call)
            and (
                self.scopes.resolve(node.func) in roles.VARIABLES
                or (
                    flow.kind is Kind.VARIABLE
                    and self.scopes.resolve(node.func) is None
                )
            )
            for node in walk_breadth_first(flow.statement)
        )


def _walk_computing_nodes(flow: ir.Flow) -> Iterator[ast.AST]:
    """Yields all nodes of a statement, without those of the blocks in it."""
    match flow.statement:
        case ast.For(iter=header) | ast.If(test=header) | ast.While(test=header):
            yield from walk_breadth_first(header)
        case ast.With(items=items):
            for item in items:
                yield from walk_breadth_first(item.context_expr)
        case statement:
            yield from walk_breadth_first(statement)
