"""Tensors that in TF1 were a variable's own buffer, and changed with it.

    old = tf.identity(count)
    with tf.control_dependencies([old]):
        new = tf.assign_add(count, 1)

In one process both are the new value (measured with TF 1.15.5: `identity`, `value`,
`read_value`, `reshape`, `squeeze`, `expand_dims` and `stop_gradient`, in every run). In
TF2 the first is a value, the old one. So such a tensor is refused where it is used behind
what changes the variable. Resource variables, and those of a server, are read.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from migrate.facts import gradients_behind, names
from migrate.facts.scopes import Scopes
from migrate.frontends.sessions import plain as plain_sessions
from migrate.program.binding_time import Analysis, Diagnostics, list_every_flow
from migrate.program.ir import Flow, Kind
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles

_READS = frozenset({"value", "read_value"})


class VariableBuffers:
    """Refuses runs that give, or compute with, such a tensor after an update."""

    def __init__(
        self,
        scopes: Scopes,
        diagnostics: Diagnostics,
        analysis: Analysis,
        flows: list[Flow],
    ) -> None:
        self._scopes = scopes
        self._diagnostics = diagnostics
        self._analysis = analysis
        self._flows = flows
        self._behind = list(gradients_behind.find(scopes))

    def check(
        self,
        session: ast.Call,
        flows: list[tuple[Flow, list[tuple[ast.Call, str]]]],
        fetches: Sequence[ast.expr],
    ) -> None:
        """Checks one run.

        Args:
          session: the call that opens the session.
          flows: what the run computes, in order, with its assignments and their variables.
          fetches: what the run gives.
        """
        if not self._has_buffers(session):
            return
        self._check_gradients([flow for flow, _ in flows])
        buffers: dict[str, str] = {}
        changed: set[str] = set()
        assigned_to: set[str] = set()
        for flow, assignments in flows:
            statement = flow.statement
            assigned = {variable for _, variable in assignments}
            stale = [
                name
                for call, variable in assignments
                for name in sorted(names.find_reads(call) & buffers.keys())
                if buffers[name] in changed | (assigned - {variable})
            ]
            if not self._is_ordering(flow):
                read = buffers.keys() & flow.reads
                stale += sorted(n for n in read if buffers[n] in changed)
            if stale:
                self._refuse(statement, stale[0], buffers[stale[0]])
            assigned_to |= assigned
            changed |= {*assigned, *self._find_updated_variables(flow)}
            # What does not wait for a training operation is put before it.
            after = changed if self._waits(statement) else assigned_to
            match statement:
                case ast.Assign(targets=[target], value=value):
                    variable = self._find_variable(value, buffers)
                    name = names.find_key(target)
                    if variable and name and variable not in after:
                        buffers[name] = variable
        for node in fetches:
            name = names.find_key(node)
            if name in buffers and buffers[name] in changed:
                self._refuse(node, name, buffers[name])

    def _check_gradients(self, flows: list[Flow]) -> None:
        """Refuses gradients that stand behind an update of the same variables."""
        for call, update in self._behind:
            if any(
                n is call for flow in flows for n in walk_breadth_first(flow.statement)
            ):
                self._diagnostics.refuse(
                    gradients_behind.CODE,
                    call,
                    gradients_behind.explain(update),
                    gradients_behind.RECIPE,
                )

    def _has_buffers(self, session: ast.Call) -> bool:
        return plain_sessions.is_local(self._scopes, session) and not any(
            symbol == "tf.enable_resource_variables"
            or symbol in ("tf.train.Server", "tf.train.replica_device_setter")
            for _, symbol in self._scopes.walk_uses()
        )

    def _waits(self, statement: ast.stmt) -> bool:
        """Whether a statement stands in a block of `tf.control_dependencies`."""
        block = self._scopes.parents.get(statement)
        return isinstance(block, ast.With) and any(
            isinstance(item.context_expr, ast.Call)
            and self._scopes.resolve(item.context_expr.func)
            == "tf.control_dependencies"
            for item in block.items
        )

    def _is_ordering(self, flow: Flow) -> bool:
        """Whether a statement only waits for what it reads, as `tf.group` does."""
        return flow.update is not None or flow.kind is Kind.OPERATION

    def _find_variable(self, value: ast.expr, buffers: dict[str, str]) -> str | None:
        """The variable whose buffer an expression gives."""
        match value:
            case ast.Call(func=ast.Attribute(value=base, attr=attr), args=[]) if (
                attr in _READS and self._find_kind(base) is Kind.VARIABLE
            ):
                return self._read_own_name(base)
            case ast.Call(args=[base, *_]) if (
                self._scopes.resolve(value.func) in roles.SAME_BUFFER
            ):
                name = names.find_key(base)
                if name in buffers:
                    return buffers[name]
                if self._find_kind(base) is Kind.VARIABLE:
                    return self._read_own_name(base)
                return self._find_variable(base, buffers)
        return None

    def _find_kind(self, node: ast.expr) -> Kind | None:
        return self._analysis.environment.get(names.find_key(node) or "")

    def _read_own_name(self, node: ast.expr) -> str | None:
        """Returns a variable's name; None for a resource variable."""
        name = names.find_key(node)
        resource = any(
            not isinstance(given, ast.Constant) or given.value is True
            for call in self._find_makers(name)
            if (given := names.find_argument(call, "use_resource")) is not None
        )
        return None if resource else name

    def _find_makers(self, name: str | None) -> Iterator[ast.Call]:
        for flow in list_every_flow(self._flows):
            statement = flow.statement
            if isinstance(statement, ast.Assign) and name in flow.binds:
                if isinstance(statement.value, ast.Call):
                    yield statement.value

    def _find_updated_variables(self, flow: Flow) -> set[str]:
        """The variables that a training operation changes."""
        if flow.update is None:
            return set()
        found = (
            {names.find_key(flow.update.global_step)}
            if flow.update.global_step
            else set()
        )
        listed = flow.update.variables
        if isinstance(listed, (ast.List, ast.Tuple)):
            return {n for n in [*found, *map(names.find_key, listed.elts)] if n}
        found |= {
            name
            for name, kind in self._analysis.environment.items()
            if kind is Kind.VARIABLE and self._is_trained(name)
        }
        return {name for name in found if name}

    def _is_trained(self, name: str) -> bool:
        makers = list(self._find_makers(name))
        return bool(makers) and not any(
            names.read_literal(names.find_argument(call, "trainable")) is False
            for call in makers
        )

    def _refuse(self, node: ast.AST, name: str, variable: str) -> None:
        self._diagnostics.refuse(
            "S136",
            node,
            f"in TensorFlow 1 `{name}` is `{variable}` itself, and the same run "
            "changes it. So TensorFlow 1 gave the value from after the change. "
            "TensorFlow 2 gives the value from before",
            f"For the new value, use `{variable}` in a later run. For the old "
            "value, use it in an earlier run.",
        )
