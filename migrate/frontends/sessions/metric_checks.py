"""Steps that have the value of a streaming metric, and its update."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.findings import Finding, Outcome
from migrate.program.binding_time import Analysis, Diagnostics, list_every_flow
from migrate.program.ir import Flow, Kind
from migrate.program.slices import Slice


class MetricChecks:
    """Refuses steps that would count a batch which TF1 did not; tells of races.

    Measured with TF 1.15.5, 200 runs each: a metric's value fetched beside its update was
    that before the update in 170 (accuracy), 174 (precision), 198 (auc), 23 (mean) runs; in
    others that after it, or of one total before and the other after.
    """

    def __init__(
        self, diagnostics: Diagnostics, analysis: Analysis, flows: list[Flow]
    ) -> None:
        self._diagnostics = diagnostics
        self._analysis = analysis
        self._flows = flows
        self._told: set[str] = set()

    @property
    def streamed(self) -> bool:
        """Whether the program has streaming metrics."""
        return any(self._find_metric(f.statement) for f in list_every_flow(self._flows))

    def check(
        self, call: ast.Call, part: Slice, fetched: Slice, whole: set[str]
    ) -> None:
        """Checks one step.

        Args:
          call: the run.
          part: the statements that it needs.
          fetched: those of them that what is fetched needs, without summaries that the
            session writes by itself.
          whole: names that it fetches, with all that is in them.
        """
        steps = [
            f for f in list_every_flow(self._flows) if f in part.flows and not f.suites
        ]
        of = {f: metric for f in steps if (metric := self._find_metric(f.statement))}
        if not of:
            return
        for flow in of:
            if of[flow][1] == "update" and flow not in fetched.flows:
                self._diagnostics.refuse(
                    "M120",
                    flow.statement,
                    "a summary or a hook uses a metric's update. So TensorFlow 1 "
                    "counted only the batches of steps at which it was written or "
                    "shown",
                    "Give it the metric's value, and fetch the update in the "
                    "training run.",
                    "tf.metrics",
                )
        updates = {
            name
            for flow, (_, method) in of.items()
            if method == "update"
            for name in names.find_binds(flow.statement)
        }
        for flow in steps:
            if flow in of or (flow.binds and flow.binds <= whole):
                continue
            if _keeps(flow.statement, updates):
                self._diagnostics.refuse(
                    "M120",
                    flow.statement,
                    "the program keeps a metric's update in a list, tuple or dict, "
                    "and a step reads that. The step would also count batches if "
                    "only something else is fetched",
                    "Keep the metric's value and its update in variables of their own.",
                    "tf.metrics",
                )
        both = {m for m, method in of.values() if method == "value"} & {
            m for m, method in of.values() if method == "update"
        }
        for each in sorted(both - self._told):
            self._told.add(each)
            self._diagnostics.findings.append(
                Finding(
                    call.lineno,
                    call.col_offset + 1,
                    "N191",
                    Outcome.REWRITTEN,
                    "tf.metrics",
                    "a run fetches a metric's value together with its update. "
                    "TensorFlow 1 gave the value from before the update or from "
                    "after it. The migrated program gives the value from before",
                )
            )

    def _find_metric(self, statement: ast.stmt) -> tuple[str, str] | None:
        """`metric.value()` or `metric.update(...)` as all that a statement computes."""
        value = getattr(statement, "value", None)
        if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)):
            return None
        base = names.find_key(value.func.value) or ""
        if self._analysis.environment.get(base) is not Kind.METRIC:
            return None
        return base, value.func.attr


def _keeps(statement: ast.stmt, updates: set[str]) -> bool:
    """Whether a statement puts one of these names into a display, and binds that."""
    value = getattr(statement, "value", None)
    if not isinstance(statement, (ast.Assign, ast.Return, ast.Expr)) or value is None:
        return False
    work: list[ast.AST] = [value]
    while work:
        node = work.pop()
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            work.extend(node.elts)
            if any(names.find_key(e) in updates for e in node.elts):
                return True
        elif isinstance(node, ast.Dict):
            work.extend(node.values)
            if any(names.find_key(e) in updates for e in node.values):
                return True
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in ("append", "update", "setdefault", "insert"):
                if any(names.find_key(a) in updates for a in node.args):
                    return True
    return False
