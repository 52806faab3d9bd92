"""Keeps the names that a scope gives to objects beside an update in it.

    with tf.variable_scope("net"):
        h = tf.layers.dense(x, 4)          # net/dense/kernel
        train = optimizer.minimize(loss)

The step opens the block, because its tape ends before the update. The statements before the
update keep the scope, and those behind it enter the scope again.
"""

from __future__ import annotations

import ast
import dataclasses

from migrate.backends.custom_loop.context import Context
from migrate.backends.custom_loop.scope_names import ScopeNames
from migrate.facts import reach
from migrate.program.binding_time import list_every_flow
from migrate.program.binding_time.numbered_scopes import tell_renamed
from migrate.program.code import Code, make_code
from migrate.program.ir import Flow, Kind
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles

# Functions whose results get scope names in checkpoints or event files.
_NAMED = ("tf.layers.", "tf.summary.", "tf.contrib.layers.", "tf.keras.layers.")
_SCOPES = frozenset({"tf.name_scope", *roles.SCOPES})


class NamedParts:
    """Keeps scopes around statements that they name."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._scopes = context.scopes
        self._names = ScopeNames(context.program, context.scopes)
        self._parts: dict[tuple[Flow, ...], Flow] = {}

    def keep_scope(self, block: Flow, inner: list[Flow]) -> list[Flow]:
        """Returns the statements of an opened block, in its scope if it names any of them.

        Args:
          inner: its statements that the step has.
        """
        if not self._is_scope(block.statement):
            return inner
        places = [
            i
            for i, flow in enumerate(inner)
            if any(f.update is not None for f in list_every_flow([flow]))
        ]
        # In a step without the update, all of the block stands in front of it.
        update = places[0] if places else len(inner)
        before, after = inner[:update], inner[update:]
        if any(map(self._names_something, before)):
            before = [self._make_part(block, before, None)]
        return [*before, *self._enter_again(block, after)]

    def _make_part(self, block: Flow, flows: list[Flow], header: Code | None) -> Flow:
        """Returns a part of a block; steps with the same statements share one part."""
        key = (block, *flows)
        if key not in self._parts:
            self._parts[key] = dataclasses.replace(
                block,
                kind=flows[-1].kind,
                reads=frozenset().union(*[f.reads for f in flows]),
                binds=frozenset().union(*[f.binds for f in flows]),
                suites={"body": flows},
                part_of=block,
                header=header,
            )
        return self._parts[key]

    def _enter_again(self, block: Flow, flows: list[Flow]) -> list[Flow]:
        """Lets statements behind the update enter the scope again, without a number."""
        found: list[Flow] = []
        for flow in flows:
            updates = any(f.update is not None for f in list_every_flow([flow]))
            if not self._names_something(flow):
                found.append(flow)
                continue
            around = self._names.list_around(flow.statement)
            path = self._names.read_path(around)
            if updates or flow.part_of is not None or not path:
                self._tell(block.statement)
                found.append(flow)
                continue
            header = make_code(f'with tf.name_scope("{path}/"):')
            found.append(self._make_part(block, [flow], header))
        return found

    def keeps_scope(self, update: ast.stmt) -> bool:
        """Whether a step enters one of an update's scopes for other statements, too."""
        return any(
            self._names_something(flow)
            for block in list_every_flow(self._context.program.flows)
            if self._is_scope(block.statement)
            and update in walk_breadth_first(block.statement)
            for flow in list_every_flow([block])[1:]
            if not flow.suites and flow.update is None
        )

    def _is_scope(self, statement: ast.stmt) -> bool:
        return isinstance(statement, ast.With) and any(
            isinstance(item.context_expr, ast.Call)
            and self._scopes.resolve(item.context_expr.func) in _SCOPES
            for item in statement.items
        )

    def _names_something(self, flow: Flow) -> bool:
        """Whether a statement makes layers or summaries, itself or by functions."""
        if any(f.graph for f in list_every_flow([flow])):
            return True
        calls = [
            n for n in walk_breadth_first(flow.statement) if isinstance(n, ast.Call)
        ]
        if any(self._is_named(call) for call in calls):
            return True
        return any(
            isinstance(node, ast.Call) and self._is_named(node)
            for call in calls
            for part in reach.find_called(self._scopes, call)[1:]
            for node in walk_breadth_first(part)
        )

    def _is_named(self, call: ast.Call) -> bool:
        symbol = self._scopes.resolve(call.func) or ""
        if symbol.startswith(_NAMED):
            return True
        kinds = self._context.program.kinds
        return isinstance(call.func, ast.Name) and kinds.get(call.func.id) is Kind.LAYER

    def _tell(self, statement: ast.stmt) -> None:
        assert isinstance(statement, ast.With)
        call = statement.items[0].context_expr
        assert isinstance(call, ast.Call)
        tell_renamed(
            self._scopes,
            self._context.diagnostics,
            call,
            "layers or summaries are made after the update in this scope, so they "
            "may get other names",
            "Make them before the update, or outside of the scope.",
            self._scopes.resolve(call.func) or "",
        )
