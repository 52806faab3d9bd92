"""Refuses runs that update a slot, average or variable, and also fetch it.

    slot = optimizer.get_slot(w, "momentum")
    pairs = optimizer.compute_gradients(loss)
    sess.run([train, slot, pairs])

A server of TF1 sent such a variable before the update (12 of 12 steps with TF 1.15.5: the
slot and what is computed from it, an average, the variables of the pairs). The step function
gives the value after the update, and before the first update there is no slot. So such
a run is refused on a cluster. In one process TF1 gave the variable's own buffer, with
the new value.
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
        updates = any(
            flow.update is not None and flow.update.kind != "compute_gradients"
            for flow in flows
        )
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
            self._refuse(call)
        pairs = _list_pairs([flow.statement for flow in flows]) if updates else set()
        for fetch in fetches:
            if _gives_pair(fetch, pairs):
                self._refuse(fetch)

    def _refuse(self, given: ast.expr) -> None:
        self._diagnostics.refuse(
            "S136",
            given,
            f"the run that gives `{ast.unparse(given)}` also changes it. A server of "
            "TensorFlow 1 gave the value from before the change. The step function "
            "would give the value after it",
            "Fetch it, or what is computed from it, in a run of its own. Of pairs from "
            "compute_gradients, fetch the gradients alone.",
        )


def _list_pairs(statements: Sequence[ast.stmt]) -> set[str]:
    """Names of lists in which variables stand beside gradients, or are alone."""
    found: set[str] = set()
    for statement in statements:
        match statement:
            case ast.Assign(
                targets=[target],
                value=ast.Call(func=ast.Attribute(attr="compute_gradients")),
            ):
                found.add(names.find_key(target) or "")
            case ast.Assign(
                targets=[target],
                value=ast.ListComp(
                    elt=made,
                    generators=[
                        ast.comprehension(
                            target=ast.Tuple(elts=[_, ast.Name(id=variable)]), iter=of
                        )
                    ],
                ),
            ) if names.find_key(of) in found:
                parts = made.elts if isinstance(made, ast.Tuple) else [made]
                if any(isinstance(p, ast.Name) and p.id == variable for p in parts):
                    found.add(names.find_key(target) or "")
    return found - {""}


def _gives_pair(fetch: ast.expr, pairs: set[str]) -> bool:
    """Whether a fetch is such a list, or a part of one that is no gradient."""
    match fetch:
        case ast.Subscript(value=ast.Subscript(value=of), slice=ast.Constant(value=0)):
            return False
        case ast.Subscript(value=ast.Subscript(value=of)) | ast.Subscript(value=of):
            return names.find_key(of) in pairs
    return names.find_key(fetch) in pairs
