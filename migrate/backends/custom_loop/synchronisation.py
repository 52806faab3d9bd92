"""SyncReplicasOptimizer's hook, of which nothing is left: the strategy synchronises."""

from __future__ import annotations

import ast

from migrate.backends.custom_loop.context import Context
from migrate.facts import names
from migrate.plan import Dropped, Item, Keep
from migrate.program.binding_time import list_every_flow
from migrate.program.code import Code, join_code, make_code
from migrate.program.ir import Kind
from migrate.source.nodes import walk_breadth_first


class SyncHooks:
    """The names of synchronisation hooks, and statements without them."""

    def __init__(self, context: Context) -> None:
        self._program = context.program
        self._scopes = context.scopes
        self._diagnostics = context.diagnostics
        self._plan = context.plan
        self._bound = self._list_names()

    def _list_names(self) -> set[str]:
        found: set[str] = set()
        for flow in list_every_flow(self._program.flows):
            statement = flow.statement
            if isinstance(statement, ast.Assign) and self._is_sync_hook(
                statement.value
            ):
                found |= names.find_binds(statement)
        return found

    def _is_sync_hook(self, node: ast.AST) -> bool:
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("make_session_run_hook",)
            and self._program.kinds.get(names.find_key(node.func.value) or "")
            is Kind.OPTIMIZER
        )

    def mentions(self, statement: ast.stmt) -> bool:
        return any(
            self._is_sync_hook(node)
            or (isinstance(node, ast.Name) and node.id in self._bound)
            for node in walk_breadth_first(statement)
        )

    def drop_hook(self, statement: ast.stmt) -> Item:
        """The statement without the synchronisation hook; nothing waits on tokens now."""

        def is_gone(node: ast.AST) -> bool:
            return self._is_sync_hook(node) or (
                isinstance(node, ast.Name) and node.id in self._bound
            )

        if isinstance(statement, ast.Assign) and (
            is_gone(statement.value)
            or (names.find_key(statement.targets[0]) or "") in self._bound
        ):
            return Dropped(statement)
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            if any(is_gone(a) for a in statement.value.args):
                return Dropped(statement)
        return Keep(statement)

    def plan_displays(self) -> None:
        """Displays of hooks lose the synchronisation hook wherever they stand."""

        def is_gone(node: ast.AST) -> bool:
            return self._is_sync_hook(node) or (
                isinstance(node, ast.Name) and node.id in self._bound
            )

        for node in walk_breadth_first(self._program.driver):
            if not isinstance(node, (ast.List, ast.Tuple)) or not any(
                is_gone(e) for e in node.elts
            ):
                continue
            if not isinstance(node.ctx, ast.Load):
                continue
            kept: list[str | ast.AST | Code] = [e for e in node.elts if not is_gone(e)]
            if isinstance(node, ast.List):
                new = make_code("[", join_code(", ", kept), "]")
            else:
                comma = "," if len(kept) == 1 else ""
                new = make_code("(", join_code(", ", kept), comma + ")")
            self._plan.replace(node, new)
