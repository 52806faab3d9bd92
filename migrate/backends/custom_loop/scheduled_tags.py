"""Keeps learning-rate schedules from adding a number to a summary's tag.

    with tf.name_scope("optimizer"):
        lr = tf.train.exponential_decay(0.1, step, 100, 0.9, name="lr")
    tf.summary.scalar("lr", lr)

TF1 made the rate's operations once, as `optimizer/lr`, so that the tag is `lr`. A schedule
of TF2 makes them wherever it is called. There they would take the name first, and the tag
would be `lr_1`.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.program import ir
from migrate.program.binding_time import list_every_flow
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles
from migrate.tables.optimizers import OPTIMIZERS, SCHEDULES

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.Module)


class ScheduledTags:
    """Decides which schedules are called in a scope that takes no name of a tag."""

    def __init__(self, program: ir.TrainingProgram, scopes: Scopes) -> None:
        self._scopes = scopes
        self._keys: set[str] = set()
        self._kept: set[ast.AST] = set()
        self._tagged: set[str] = set()
        statements = [
            flow.statement for flow in list_every_flow(program.flows) if not flow.suites
        ]
        for statement in statements:
            made = self._find_schedule(statement)
            if made is not None:
                self._compare(statement, *made, statements)

    def is_apart(self, node: ast.expr) -> bool:
        """Whether a schedule that is read here is called in a scope of its own."""
        return names.find_key(node) in self._keys and node not in self._kept

    def is_first(self, node: ast.AST) -> bool:
        """Whether a schedule that a step calls before all else is called in such a scope."""
        return names.find_key(node) in self._tagged

    def _find_schedule(self, statement: ast.stmt) -> tuple[str, str] | None:
        """Returns the variable of a schedule, and its `name` argument."""
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            return None
        key, call = names.find_key(statement.targets[0]), statement.value
        if (
            key is None
            or not isinstance(call, ast.Call)
            or self._scopes.resolve(call.func) not in SCHEDULES
        ):
            return None
        given = [k.value for k in call.keywords if k.arg == "name"] or call.args
        literals = [
            value for v in given if isinstance(value := names.read_literal(v), str)
        ]
        return (key, literals[0]) if len(literals) == 1 else None

    def _compare(
        self, made: ast.stmt, key: str, name: str, statements: list[ast.stmt]
    ) -> None:
        """Notes a schedule that has summaries by its name in other scopes."""
        found = [
            node
            for statement in statements
            for node in walk_breadth_first(statement)
            if isinstance(node, ast.Call) and self._is_tagged(node, key, name)
        ]
        if not found:
            return
        home = self._list_scopes(made)
        same = [call for call in found if self._list_scopes(call) == home]
        others = [call for call in found if call not in same]
        if any(
            self._is_unclear(block) for c in others for block in self._differ(c, made)
        ):
            return
        self._tagged.add(key)
        if same:  # TF1's tag has a number there, too.
            self._kept.update(walk_breadth_first(same[0]))
        if others or len(same) > 1 or self._is_read_before(same[0], key, statements):
            self._keys.add(key)

    def _is_read_before(
        self, call: ast.Call, key: str, statements: list[ast.stmt]
    ) -> bool:
        """Whether a step may call a schedule before its summary; optimizers call it later."""
        for statement in statements:
            for node in walk_breadth_first(statement):
                if (
                    isinstance(node, (ast.Name, ast.Attribute))
                    and isinstance(node.ctx, ast.Load)
                    and names.find_key(node) == key
                    and node.lineno < call.lineno
                ):
                    parent = self._scopes.parents[node]
                    if isinstance(parent, ast.keyword):
                        parent = self._scopes.parents[parent]
                    if not (
                        isinstance(parent, ast.Call)
                        and self._scopes.resolve(parent.func) in OPTIMIZERS
                    ):
                        return True
        return False

    def _is_tagged(self, call: ast.Call, key: str, name: str) -> bool:
        """Whether a call is `tf.summary.scalar("lr", lr)`."""
        tag = names.read_literal(names.find_argument(call, "name", 0))
        return (
            self._scopes.resolve(call.func) in roles.SUMMARIES
            and isinstance(tag, str)
            and tag.lower() == name.lower()
            and key in names.find_reads(call)
            and not any(k.arg in ("family", None) for k in call.keywords)
        )

    def _list_scopes(self, node: ast.AST) -> list[ast.AST]:
        """Returns the blocks around a node that name its operations, and its function."""
        found: list[ast.AST] = []
        while node in self._scopes.parents:
            node = self._scopes.parents[node]
            if isinstance(node, _FUNCTIONS):
                return [*found, node]
            if isinstance(node, ast.With) and any(
                isinstance(item.context_expr, ast.Call)
                and self._scopes.resolve(item.context_expr.func) in roles.SCOPES
                for item in node.items
            ):
                found.append(node)
        return found

    def _differ(self, call: ast.Call, made: ast.stmt) -> list[ast.AST]:
        here, there = self._list_scopes(call), self._list_scopes(made)
        return [b for b in [*here, *there] if (b in here) != (b in there)]

    def _is_unclear(self, block: ast.AST) -> bool:
        """Whether a block may open no new scope: `tf.name_scope("net/")`, another function."""
        if not isinstance(block, ast.With):
            return True
        for item in block.items:
            call = item.context_expr
            if (
                isinstance(call, ast.Call)
                and self._scopes.resolve(call.func) in roles.SCOPES
            ):
                text = names.read_literal(call.args[0]) if call.args else None
                if not isinstance(text, str) or not text or text.endswith("/"):
                    return True
        return False
