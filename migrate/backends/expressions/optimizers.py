"""Optimizers and their updates."""

from __future__ import annotations

import ast

from migrate.backends.expressions.savers import Savers
from migrate.facts import names
from migrate.findings import Finding, Outcome
from migrate.program import ir
from migrate.program.code import make_code
from migrate.program.ir import Kind
from migrate.tables.optimizers import SCHEDULES, OptimizerRow


class Optimizers(Savers):
    """Plans what trains."""

    def _rewrite_optimizer(self, call: ast.Call, row: OptimizerRow) -> None:
        for argument in [*call.args, *[k.value for k in call.keywords]]:
            name = names.find_key(argument)
            if name is not None and self.program.kinds.get(name) in ir.STEP_KINDS:
                fed = make_code(f'replicas.fed("{name}")')
                if not row.accepts_schedule:
                    fed = make_code("training_session.Rate(", fed, ")")
                self.plan.replace(argument, fed)
        rate = names.find_argument(call, "learning_rate", 0)
        if rate is None or row.accepts_schedule:
            return
        scheduled = self.program.kinds.get(
            names.find_key(rate) or ""
        ) is Kind.SCHEDULE or (
            isinstance(rate, ast.Call) and self.scopes.resolve(rate.func) in SCHEDULES
        )
        if scheduled:
            self.plan.replace(rate, make_code("training_session.Rate(", rate, ")"))

    def _rewrite_minimize(self, call: ast.Call) -> None:
        decayed = names.find_argument(call, "decay_var_list", 8)
        if decayed is not None:
            self.diagnostics.findings.append(
                Finding(
                    decayed.lineno,
                    decayed.col_offset + 1,
                    "O101",
                    Outcome.REWRITTEN,
                    "",
                    "dropped: `minimize` of TensorFlow 1.15 does not use "
                    "decay_var_list either, and decays all variables",
                    "To decay only these variables, give the list to apply_gradients.",
                )
            )
