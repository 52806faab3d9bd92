"""Tensors of the graph that a run is fed values for: parameters of its step."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.program.binding_time import Analysis, list_every_flow
from migrate.program.ir import Flow, Kind
from migrate.source.nodes import walk_breadth_first

# Functions that may give the tensor that they are given.
_SAME = frozenset({"tf.convert_to_tensor", "tf.get_collection", "tf.cond", "tf.case"})
_OPERATORS = (ast.BinOp, ast.UnaryOp, ast.Compare)


class Given:
    """Finds the tensors that a feed may replace: one plain assignment computes each.

    Another name of a tensor is that tensor: what is fed for one is fed for both.
    """

    def __init__(self, scopes: Scopes, analysis: Analysis, flows: list[Flow]) -> None:
        self._scopes = scopes
        self._analysis = analysis
        self._bound: dict[str, list[Flow]] = {}
        for flow in list_every_flow(flows):
            if not flow.suites:
                for name in flow.binds:
                    self._bound.setdefault(name, []).append(flow)
        self._straight = set(_list_straight_flows(flows))

    def find_tensor(self, name: str) -> str | None:
        """The name under which a tensor is computed; None if that is not clear.

        A placeholder's or an element's own name where it is one of these.
        """
        for _ in range(len(self._bound) + 1):
            if name in self._analysis.placeholders:
                return name
            bound = self._bound.get(name, [])
            if len(bound) != 1 or bound[0] not in self._straight:
                return None
            statement, kind = bound[0].statement, bound[0].kind
            if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
                return None
            if kind is Kind.ELEMENT:
                return name
            if kind is not Kind.TENSOR or names.find_key(statement.targets[0]) != name:
                return None
            other = names.find_key(statement.value)
            if other is None:
                return name if self._is_new(statement.value) else None
            name = other
        return None

    def _is_new(self, value: ast.expr) -> bool:
        """Whether an expression gives a tensor that no other name stands for."""
        if isinstance(value, _OPERATORS):
            return True
        if not isinstance(value, ast.Call):
            return False
        symbol = self._scopes.resolve(value.func)
        if symbol is None:
            base = value.func.value if isinstance(value.func, ast.Attribute) else None
            callee = self._analysis.environment.get(
                names.find_key(base or value.func) or ""
            )
            return callee is Kind.LAYER or self._returns_new(value.func)
        return symbol.startswith("tf.") and symbol not in _SAME

    def _returns_new(self, func: ast.expr) -> bool:
        """Whether a function of the file returns a tensor that it computes itself."""
        found = [
            node
            for node in self._scopes.tree.body
            if isinstance(node, ast.FunctionDef) and node.name == names.find_key(func)
        ]
        returned = [
            n.value
            for f in found
            for n in walk_breadth_first(f)
            if isinstance(n, ast.Return)
        ]
        return (
            len(found) == 1
            and len(returned) == 1
            and isinstance(returned[0], (ast.Call, *_OPERATORS))
            and not (
                isinstance(returned[0], ast.Call)
                and self._scopes.resolve(returned[0].func) is None
            )
            and self._is_new(returned[0])
        )


def _list_straight_flows(flows: list[Flow]) -> list[Flow]:
    """Statements that are always reached, and once."""
    found: list[Flow] = []
    for flow in flows:
        if not flow.suites:
            found.append(flow)
        elif isinstance(flow.statement, ast.With):
            found += _list_straight_flows(flow.suites["body"])
    return found
