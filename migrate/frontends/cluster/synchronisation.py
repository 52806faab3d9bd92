"""SyncReplicasOptimizer: always, never, or under a condition known at run time."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.program import ir
from migrate.program.binding_time import Diagnostics
from migrate.program.ir import Flow
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles


class Synchronisation:
    """SyncReplicasOptimizer: always, never, or under a condition known at run time."""

    def __init__(
        self,
        scopes: Scopes,
        diagnostics: Diagnostics,
        flows: list[Flow],
    ) -> None:
        self.scopes = scopes
        self.diagnostics = diagnostics
        self.flows = flows
        self.condition: ast.expr | None = None
        self.aggregation: tuple[ast.expr | None, ast.expr | None] = (None, None)
        self.statements: set[ast.stmt] = set()
        self.replication = ir.Replication.ASYNCHRONOUS

    def run(self) -> None:
        for flow in self.flows:
            self._visit_flow(flow, None)

    def _visit_flow(self, flow: Flow, condition: ast.expr | None) -> None:
        if flow.suites:
            test = flow.statement.test if isinstance(flow.statement, ast.If) else None
            for field, suite in flow.suites.items():
                for inner in suite:
                    if test is not None and field == "body":
                        self._visit_flow(inner, test)
                    elif test is not None:
                        self._visit_flow(inner, ast.UnaryOp(ast.Not(), test))
                    else:
                        self._visit_flow(inner, condition)
            return
        for node in walk_breadth_first(flow.statement):
            if (
                isinstance(node, ast.Call)
                and self.scopes.resolve(node.func) in roles.SYNC_OPTIMIZERS
            ):
                self._note_optimizer(flow, node, condition)

    def _note_optimizer(
        self, flow: Flow, call: ast.Call, condition: ast.expr | None
    ) -> None:
        if self.replication is not ir.Replication.ASYNCHRONOUS:
            self.diagnostics.refuse(
                "O106",
                call,
                "the program has several SyncReplicasOptimizers",
                "Make one SyncReplicasOptimizer, and let it make every update.",
            )
        if isinstance(condition, ast.UnaryOp):
            self.diagnostics.refuse(
                "O106",
                call,
                "the SyncReplicasOptimizer is in an else branch",
                "Write the synchronous case in the `if` branch.",
            )
        self.condition = condition
        self.replication = (
            ir.Replication.CHOSEN_AT_RUN_TIME
            if condition
            else ir.Replication.SYNCHRONOUS
        )
        self.aggregation = (
            names.find_argument(call, "replicas_to_aggregate", 1),
            names.find_argument(call, "total_num_replicas", 2),
        )
        for unsupported in ("variable_averages", "variables_to_average"):
            value = names.find_argument(call, unsupported)
            if value is not None and not (
                isinstance(value, ast.Constant) and value.value is None
            ):
                self.diagnostics.refuse(
                    "O120",
                    call,
                    f"SyncReplicasOptimizer({unsupported}=...)",
                    f"Leave {unsupported} out.",
                )
        self.statements.add(flow.statement)
