"""Scopes around code, and the names that they have."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.facts import names
from migrate.facts.constants import evaluate
from migrate.facts.scopes import Scopes
from migrate.program import ir

_VARIABLE_SCOPE = "tf.variable_scope"
SCOPES = ("tf.name_scope", _VARIABLE_SCOPE)
FUNCTIONS = (ast.FunctionDef, ast.Lambda, ast.ClassDef)


class ScopeNames:
    """Reads the names of scopes in a program."""

    def __init__(self, program: ir.TrainingProgram, scopes: Scopes) -> None:
        self._program = program
        self._scopes = scopes

    def is_variable_scope(self, call: ast.Call) -> bool:
        return self._scopes.resolve(call.func) == _VARIABLE_SCOPE

    def read_name(self, call: ast.Call) -> str | None:
        """A scope's name, "" where it is the one around it; None if it is not known."""
        parameter = "name_or_scope" if self.is_variable_scope(call) else "name"
        given = names.find_argument(call, parameter, 0)
        if (
            isinstance(given, ast.Call)
            and self._scopes.resolve(given.func) == "tf.get_variable_scope"
        ):
            return ""
        if call in self._program.scope_numbers:
            return self._program.scope_numbers[call]
        kind, text = evaluate(self._scopes, given, {})
        value = ast.literal_eval(text) if kind == "constant" else None
        if value is None and kind == "constant":
            value = names.read_literal(names.find_argument(call, "default_name", 1))
        return value.rstrip("/") if isinstance(value, str) else None

    def read_path(self, calls: Sequence[ast.Call]) -> str:
        """The names of scopes, `?` for one that is not known."""
        read = [self.read_name(call) for call in calls]
        return "/".join("?" if name is None else name for name in read if name != "")

    def list_items(self, block: ast.With) -> list[ast.Call]:
        return [
            item.context_expr
            for item in block.items
            if isinstance(item.context_expr, ast.Call)
            and self._scopes.resolve(item.context_expr.func) in SCOPES
        ]

    def list_around(self, inside: ast.AST) -> list[ast.Call]:
        """All scopes around a node, outer ones first; of one block, those before it."""
        found: list[ast.Call] = []
        node: ast.AST | None = inside
        while node is not None and not isinstance(node, FUNCTIONS):
            above = self._scopes.parents.get(node)
            if isinstance(above, ast.With):
                inner = self.list_items(above)
                if inside in inner:
                    inner = inner[: inner.index(inside)]
                found = [*inner, *found]
            node = above
        return found
