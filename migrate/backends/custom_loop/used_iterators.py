"""Refuses reads of an iterator that building the graph has used up.

TF1 ran Python's loops once, when it built the graph. Here build time and each step run them.
`pairs = zip(sizes, names)` gives its elements to the first of these alone.
"""

from __future__ import annotations

import ast
from collections.abc import Collection

from migrate.backends.custom_loop.context import Context
from migrate.facts import effects, names
from migrate.program.functions import list_parameter_names
from migrate.program.ir import Flow
from migrate.source.nodes import walk_breadth_first, walk_own_nodes


class UsedIterators:
    """Refuses reads of iterators that a step shares with build time, or with other steps."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._calls: dict[ast.FunctionDef, list[ast.Call]] | None = None

    def check(self, flow: Flow, included: set[Flow]) -> None:
        """Refuses reads of an iterator that something before the step has used up.

        Args:
          flow: a statement of a step, or a block.
          included: the statements of the step, which makes their values anew.
        """
        inside = {f.statement for f in included}
        lifted = {n for lift in flow.lifts for n in walk_breadth_first(lift.node)}
        for node in walk_own_nodes(flow.statement):
            if (
                node in lifted
                or not isinstance(node, ast.Name)
                or not isinstance(node.ctx, ast.Load)
            ):
                continue
            if self._is_iterator(node, inside):
                self._context.diagnostics.refuse(
                    "N116",
                    node,
                    f"`{node.id}` gives its elements only once, when TensorFlow 1 "
                    "built the graph. A step function would find none left",
                    f"Make it a list: `{node.id} = list(...)`.",
                )

    def _is_iterator(
        self,
        node: ast.Name,
        inside: Collection[ast.stmt],
        seen: frozenset[tuple[ast.AST, str]] = frozenset(),
    ) -> bool:
        """Whether a name outside of the step is bound to an iterator, or is given one."""
        scopes = self._context.scopes
        owner = scopes.find_scope(node).find_owner(node.id)
        if owner is None or (owner.node, node.id) in seen:
            return False
        seen |= {(owner.node, node.id)}
        for at in owner.bindings[node.id]:
            if isinstance(at, ast.Assign) and at not in inside:
                whole = any(isinstance(target, ast.Name) for target in at.targets)
                if whole and effects.is_one_shot(at.value, scopes):
                    return True
            elif isinstance(at, ast.arg):
                for given in self._list_arguments(owner.node, node.id):
                    if effects.is_one_shot(given, scopes):
                        return True
                    if isinstance(given, ast.Name):
                        if self._is_iterator(given, (), seen):
                            return True
        return False

    def _list_arguments(self, function: ast.AST, parameter: str) -> list[ast.expr]:
        """Returns what the calls of a function give for a parameter."""
        scopes = self._context.scopes
        if not isinstance(function, ast.FunctionDef):
            return []
        place = list_parameter_names(function).index(parameter)
        if self._calls is None:
            self._calls = {}
            for call in scopes.walk():
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
                    called = scopes.find_function(call.func)
                    if called is not None:
                        self._calls.setdefault(called, []).append(call)
        calls = self._calls.get(function, [])
        given = [names.find_argument(call, parameter, place) for call in calls]
        return [argument for argument in given if argument is not None]
