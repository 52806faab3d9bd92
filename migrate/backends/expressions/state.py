"""Holds the state that the plan of a program's expressions needs."""

from __future__ import annotations

import ast

from migrate.backends.variable_lists import VariableLists
from migrate.backends.variables_by_then import VariablesByThen
from migrate.facts.scopes import Scopes
from migrate.plan import Plan
from migrate.program import ir
from migrate.program.binding_time import Diagnostics
from migrate.program.graph_functions import GraphFunctions
from migrate.program.made_later import MadeLater
from migrate.program.scope_defaults import ScopeDefaults


class State:
    """The program, the plan, and the uses that are already handled."""

    def __init__(
        self,
        program: ir.TrainingProgram,
        scopes: Scopes,
        diagnostics: Diagnostics,
        plan: Plan,
    ) -> None:
        self.program = program
        self.scopes = scopes
        self.diagnostics = diagnostics
        self.plan = plan
        self.claimed: dict[ast.AST, tuple[str, str]] = {}
        self.partitioned: dict[str, ast.expr] = {}
        self.created_step = False
        self._orders: dict[str, bool] = {}
        self.graph = GraphFunctions(scopes)
        self.defaults = ScopeDefaults(scopes)
        self.lists = VariableLists(program, scopes)
        self.by_then = VariablesByThen(program, scopes)
        self.later = MadeLater(scopes, program.flows, program.shared)

    def _is_in_driver(self, node: ast.AST) -> bool:
        current: ast.AST | None = node
        while current is not None and not isinstance(
            current, (ast.FunctionDef, ast.Module)
        ):
            current = self.scopes.parents.get(current)
        return current is self.program.driver

    def _is_in_session(self, node: ast.AST) -> bool:
        """Whether a node is in the session's block, also in a function there."""
        current: ast.AST | None = node
        while current is not None and current is not self.program.session:
            current = self.scopes.parents.get(current)
        return current is not None
