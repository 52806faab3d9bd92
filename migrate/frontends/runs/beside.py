"""Checks runs in functions that the session calls by time, in their own threads.

A Supervisor's `loop` gives them to the session (`normalise/supervisors/loops.py`).
"""

from __future__ import annotations

import ast

from migrate.facts import names, reach
from migrate.facts.scopes import Scopes
from migrate.frontends.runs.loop import Loop
from migrate.program.binding_time import Diagnostics
from migrate.source.nodes import walk_breadth_first


class Beside:
    """Refuses what no thread beside the training loop may run."""

    def __init__(self, scopes: Scopes, diagnostics: Diagnostics, loop: Loop) -> None:
        self._scopes = scopes
        self._diagnostics = diagnostics
        targets = [
            target
            for statement in loop.tail
            for node in walk_breadth_first(statement)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "loop"
            and names.find_key(node.func.value) in loop.session_names
            if (target := names.find_argument(node, "target", 1)) is not None
        ]
        called = [*targets, *(reach.find_reached(scopes, targets) if targets else ())]
        self._inside = {node for root in called for node in walk_breadth_first(root)}

    def holds(self, call: ast.Call) -> bool:
        """Whether a run stands in such a function."""
        return call in self._inside

    def check(self, call: ast.Call, changes: bool, draws: bool, in_step: bool) -> bool:
        """Whether a run may stand where it does; else a refusal.

        Args:
          call: the run.
          changes: whether it changes variables.
          draws: whether it takes a batch.
          in_step: whether workers keep pace.
        """
        reason = ""
        if changes:
            reason = "changes variables, between any two steps of the training"
        elif draws and in_step:
            reason = "takes a batch, which all workers do together"
        if reason:
            self._diagnostics.refuse(
                "N120",
                call,
                f"a function that a Supervisor's loop calls {reason}",
                "Call the function in the training loop, every so many seconds.",
                "tf.train.Supervisor",
            )
        return not reason
