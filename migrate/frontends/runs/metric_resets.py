"""Runs that set streaming metrics back to nothing: initialisers of local variables."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.program.binding_time import list_every_flow
from migrate.program.code import Code, make_code
from migrate.program.ir import Flow, Kind
from migrate.tables import roles
from migrate.tables import streaming_metrics as table

_ALL = make_code(f"{table.INITIALIZE}({table.VARIABLES}(replicas))")


class MetricResets:
    """Writes the resets of metrics that an initialiser stands for."""

    def __init__(self, scopes: Scopes, flows: list[Flow]) -> None:
        self._scopes = scopes
        self._values: dict[str, ast.expr] = {}
        self._any = False
        for flow in list_every_flow(flows):
            statement = flow.statement
            self._any = self._any or flow.kind is Kind.METRIC
            if isinstance(statement, ast.Assign):
                for name in names.find_binds(statement):
                    self._values[name] = statement.value

    def write_resets(self, initialisers: Iterable[ast.expr]) -> list[Code]:
        """New code for each part of the initialisers that is of metrics' totals."""
        if not self._any:
            return []
        parts = [part for node in initialisers for part in self._list_parts(node)]
        found = [new for part in parts if (new := self._write_reset(part)) is not None]
        return [_ALL] if _ALL in found else found

    def are_all_metrics(self, initialisers: Iterable[ast.expr]) -> bool:
        """Whether all of their parts are of metrics' totals."""
        parts = [part for node in initialisers for part in self._list_parts(node)]
        return all(self._write_reset(part) is not None for part in parts)

    def _list_parts(self, node: ast.expr) -> list[ast.expr]:
        """Lists the initialisers in a list, tuple, group or name."""
        if isinstance(node, (ast.List, ast.Tuple)):
            return [part for item in node.elts for part in self._list_parts(item)]
        if isinstance(node, ast.Call) and self._scopes.resolve(node.func) == "tf.group":
            return [part for item in node.args for part in self._list_parts(item)]
        value = self._values.get(names.find_key(node) or "")
        return [node] if value is None else self._list_parts(value)

    def _write_reset(self, part: ast.expr) -> Code | None:
        symbol = self._scopes.resolve(part.func) if isinstance(part, ast.Call) else ""
        if symbol in roles.INITIALIZES_LOCAL:
            return _ALL
        if symbol != "tf.variables_initializer":
            return None
        assert isinstance(part, ast.Call)
        listed = names.find_argument(part, "var_list", 0)
        if listed is None or not self._lists_metrics(listed):
            return None
        return make_code(f"{table.INITIALIZE}(", listed, ")")

    def _lists_metrics(self, node: ast.expr) -> bool:
        """Whether a list has variables of metrics and no others."""
        value = self._values.get(names.find_key(node) or "", node)
        if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
            return self._lists_metrics(value.left) and self._lists_metrics(value.right)
        if isinstance(value, ast.ListComp) and len(value.generators) == 1:
            return self._lists_metrics(value.generators[0].iter)
        return (
            isinstance(value, ast.Call)
            and names.find_key(value.func) == table.VARIABLES
        )
