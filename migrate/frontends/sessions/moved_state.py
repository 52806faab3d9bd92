"""What a run's update moves and the run gives besides: slots and moving averages.

    slot = optimizer.get_slot(w, "momentum")
    sess.run([train, slot])

A server of TF1 sent such a variable before the update (12 of 12 steps with TF 1.15.5, the
slot and what is computed from it; the averages likewise). The step function has it as the
update left it, and before the first update there is no slot. So such a run is refused on a
cluster. In one process TF1 gave the variable's own buffer, which has the new value.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.sessions import plain as plain_sessions
from migrate.program.binding_time import Analysis, Diagnostics
from migrate.program.ir import Flow, Kind
from migrate.source.nodes import walk_breadth_first

_SERVERS = frozenset({"tf.train.Server", "tf.train.replica_device_setter"})


def has_servers(scopes: Scopes) -> bool:
    """Whether a program makes or names servers, which may hold its variables."""
    return any(symbol in _SERVERS for _, symbol in scopes.walk_uses())


class MovedState:
    """Refuses runs that give what they move."""

    def __init__(
        self, scopes: Scopes, diagnostics: Diagnostics, analysis: Analysis
    ) -> None:
        self._scopes = scopes
        self._diagnostics = diagnostics
        self._analysis = analysis

    def check(
        self, session: ast.Call, flows: Sequence[Flow], fetches: Sequence[ast.expr]
    ) -> None:
        """Checks one run.

        Args:
          session: the call that opens the session.
          flows: what the run computes, blocks left out.
          fetches: what the run gives.
        """
        local = plain_sessions.is_local(self._scopes, session)
        if local and not has_servers(self._scopes):
            return
        computed: list[ast.AST] = [flow.statement for flow in flows]
        calls = [
            (node, names.find_key(node.func.value) or "", node.func.attr)
            for root in [*computed, *fetches]
            for node in walk_breadth_first(root)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        ]
        updates = any(flow.update is not None for flow in flows)
        applied = {of for _, of, method in calls if method == "apply"}
        for call, of, method in calls:
            kind = self._analysis.environment.get(of)
            if not (
                updates
                and kind is Kind.OPTIMIZER
                and method == "get_slot"
                or of in applied
                and kind is Kind.AVERAGES
                and method == "average"
            ):
                continue
            self._diagnostics.refuse(
                "S136",
                call,
                f"the run that gives `{ast.unparse(call)}` also changes it. A server of "
                "TensorFlow 1 gave the value from before the change. The step function "
                "would give the value after it",
                "Fetch it, or what is computed from it, in a run of its own.",
            )
