"""T152: a session of compat.v1 that finds no graph, because TensorFlow 2 is eager.

TensorFlow 1.15 runs `import tensorflow.compat.v1 as tf` as it stands. On TensorFlow 2 the
same file needs `tf.disable_v2_behavior()`, or a graph that is opened around what it makes.
Which files of a program switch graph mode on is known where the program is: what is found
here is only a note of the file, of which `migrate.outcomes` makes what it is.
"""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.facts.scopes import Scopes, build_scopes
from migrate.findings import Finding, Outcome
from migrate.migration import Migration
from migrate.source.nodes import parse_source
from migrate.tables import graph_mode

CODE = "T152"
_IN_COMPAT = ("T102", "T105")
# Sessions, and the place of the graph that they are given.
_SESSIONS = {
    "tf.InteractiveSession": 1,
    "tf.Session": 1,
    "tf.train.MonitoredSession": None,
    "tf.train.MonitoredTrainingSession": None,
    "tf.train.SingularMonitoredSession": None,
    "tf.train.Supervisor": 0,
}
_RECIPE = (
    "Call tf.disable_v2_behavior() below the import of TensorFlow, or let --fallback compat "
    "write it."
)


def add_lost_session(text: str, found: Migration) -> Migration:
    """A text's migration, with its first session that TensorFlow 2 gives no graph."""
    if not any(
        f.code in _IN_COMPAT and f.symbol in graph_mode.RUNS_GRAPHS
        for f in found.findings
    ):
        return found
    scopes = build_scopes(parse_source(text))
    session = find_lost_session(scopes)
    if session is None:
        return found
    symbol = scopes.resolve(session.func) or ""
    reason = (
        "TensorFlow 2 executes eagerly, and nothing in this program switches graph "
        "mode on. The session finds an empty graph, and tf.placeholder raises an "
        "error"
    )
    line, column = session.lineno, session.col_offset + 1
    lost = Finding(line, column, CODE, Outcome.KEPT, symbol, reason, _RECIPE)
    return dataclasses.replace(found, findings=tuple(sorted([*found.findings, lost])))


def find_lost_session(scopes: Scopes) -> ast.Call | None:
    """The first session in the default graph of a file that does not switch to graph mode."""
    if any(symbol in graph_mode.SWITCHES for _, symbol in scopes.walk_uses()):
        return None
    opens = any(
        isinstance(node, ast.Attribute) and node.attr == "as_default"
        for node in scopes.walk()
    )
    for node in scopes.walk():
        if not isinstance(node, ast.Call):
            continue
        symbol = scopes.resolve(node.func) or ""
        if symbol not in _SESSIONS:
            continue
        given = names.find_argument(node, "graph", _SESSIONS[symbol])
        if given is None and not (opens and _is_in_graph(scopes, node)):
            return node
    return None


def _is_in_graph(scopes: Scopes, session: ast.AST) -> bool:
    """Whether a session may be opened where a graph is the default one."""
    node: ast.AST | None = session
    while node is not None and not isinstance(node, ast.Module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return True  # It may be called there.
        if isinstance(node, ast.With) and any(
            isinstance(item.context_expr, ast.Call)
            and isinstance(item.context_expr.func, ast.Attribute)
            and item.context_expr.func.attr == "as_default"
            for item in node.items
        ):
            return True
        node = scopes.parents.get(node)
    return False
