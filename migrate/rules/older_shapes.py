"""Reports constructs of a refused program that have no counterpart as a whole.

N123: towers by slim's `model_deploy`. C140: a queue that tasks share. N120: what a Supervisor does beside the session.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.normalise import Text, server_queues
from migrate.normalise.supervisors import callees as supervisor_callees
from migrate.normalise.supervisors import supervisor
from migrate.source.nodes import walk_breadth_first

_QUEUES = frozenset({"tf.FIFOQueue", "tf.queue.FIFOQueue"})
_SERVICES = {
    "loop": "pass a function of this file by its name, in a statement of its own. "
    "The names that the function uses must mean the same as beside the "
    "loop. Or call the function in the training loop, every so many seconds",
    "summary_computed": "a statement of its own; the Supervisor has a logdir",
    "session_manager": "the session restores and waits by itself",
    "summary_writer": "tf.summary.FileWriter(logdir)",
    "coord": "should_stop() and request_stop() of the session",
}


def report_deployed(scopes: Scopes) -> Iterator[Finding]:
    """Yields findings for files that use slim's `model_deploy`, whatever else they use."""
    for node in walk_breadth_first(scopes.tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)) and any(
            a.name.split(".")[-1] == "model_deploy" for a in node.names
        ):
            yield _make_refusal(
                node,
                "N123",
                "slim.deployment itself places copies of a model on devices",
                "Write one clone, the model and its loss, in a loop over devices. "
                "The loop appends compute_gradients to a list, and the program "
                "averages the list. The tool migrates such towers to a "
                "MirroredStrategy. Or build the model under "
                "tf.distribute.MirroredStrategy, and run the step with "
                "strategy.run.",
            )


def report_older_shapes(scopes: Scopes, text: str) -> Iterator[Finding]:
    """Findings for a program that was refused."""
    unread = server_queues.explain_refusal(Text.read_source(text))
    served = supervisor.replace_supervisor(Text.read_source(text)).source != text
    for node in walk_breadth_first(scopes.tree):
        if isinstance(node, ast.Call) and scopes.resolve(node.func) in _QUEUES:
            if unread is not None and names.find_argument(node, "shared_name"):
                line, reason = unread
                yield _make_refusal(
                    node,
                    "C140",
                    f"tasks share a queue: {reason} (line {line})",
                    "If the queue only ends the parameter servers, remove it, and "
                    "let each ps task call server.join().",
                    "tf.FIFOQueue",
                )
        elif isinstance(node, ast.Attribute) and node.attr in _SERVICES and not served:
            if supervisor_callees.is_supervisor(scopes, node.value):
                yield _make_refusal(
                    node,
                    "N120",
                    f"Supervisor.{node.attr} works beside the session",
                    f"Instead: {_SERVICES[node.attr]}.",
                    "tf.train.Supervisor",
                )


def _make_refusal(
    node: ast.stmt | ast.expr, code: str, reason: str, recipe: str, symbol: str = ""
) -> Finding:
    return Finding(
        node.lineno,
        node.col_offset + 1,
        code,
        Outcome.REFUSED,
        symbol,
        reason,
        recipe,
    )
