"""S185: reads of TensorFlow 1's default graph, which is empty in a migrated session program.

    print(len(tf.get_default_graph().get_operations()))

The migrated program computes in functions, so nothing is in TensorFlow 2's default graph. The
graph stays where nothing depends on what it contains, as in `graph.finalize()`.

Whether another file of the program opens the session is known where the program is: what is
found in a file without one is only a note, of which `migrate.outcomes` makes what it is.
"""

from __future__ import annotations

import ast
import collections
from collections.abc import Iterator

from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.tables import roles

CODE = "S185"
GRAPH = "tf.get_default_graph"
# What does not depend on the graph's operations. A seed has a finding of its own.
_HARMLESS = frozenset(
    {"add_to_collection", "add_to_collections", "as_default", "clear_collection"}
    | {"colocate_with", "container", "control_dependencies", "device", "finalize"}
    | {"gradient_override_map", "name_scope", "seed"}
)
# A tape takes an operation's own gradient, in graphs of functions, too.
_OVERRIDES = "gradient_override_map"
_LOST_GRADIENT = (
    "the map gives operations of this graph another gradient. The migrated program takes "
    "gradients by a tape, which does not see the map"
)
_RECIPE_OF_GRADIENTS = (
    "Write the operation and its gradient as a function with tf.custom_gradient."
)
# These modules run a model_fn in a graph of its own.
_HAVE_GRAPHS = ("estimator_loop", "keras_estimator", "graph_functions")
_REASON = (
    "`{}` reads the graph. The migrated program computes in functions, and its default "
    "graph is empty"
)
_RECIPE = (
    "Remove it, or move it into a program of its own. Or run this program in graph mode, "
    "with --fallback compat."
)


def find_lost(old: Scopes, new: Scopes) -> Iterator[Finding]:
    """Yields reads of the default graph that a file keeps: refused if it opens sessions.

    Args:
      old: the file's scopes. The findings are at its lines.
      new: those of its result.
    """
    if new.runs_graphs or has_graphs(new):
        return
    if opens_session(old):
        yield from _find_overrides(old)
    outcome = Outcome.REFUSED if opens_session(old) else Outcome.KEPT
    # Functions that get the graph may have other names in the result.
    kept = collections.Counter(getattr(r, "attr", "") for _, r in _find_reads(new))
    for node, reader in _find_reads(old):
        name = getattr(reader, "attr", "")
        if not kept[name]:
            continue
        kept[name] -= 1
        line, column = node.lineno, node.col_offset + 1
        reason = _REASON.format(ast.unparse(reader).replace("compat.v1.", ""))
        yield Finding(line, column, CODE, outcome, GRAPH, reason, _RECIPE)


def _find_overrides(old: Scopes) -> Iterator[Finding]:
    for node in old.walk():
        if isinstance(node, ast.Attribute) and node.attr == _OVERRIDES:
            yield Finding(
                node.lineno,
                node.col_offset + 1,
                CODE,
                Outcome.REFUSED,
                f"tf.Graph.{_OVERRIDES}",
                _LOST_GRADIENT,
                _RECIPE_OF_GRADIENTS,
            )


def _find_reads(scopes: Scopes) -> Iterator[tuple[ast.expr, ast.AST]]:
    """Yields expressions that are the default graph, and what reads them."""
    for node in scopes.walk():
        if not (isinstance(node, ast.expr) and _is_default_graph(node, scopes)):
            continue
        parent = scopes.parents.get(node)
        if isinstance(parent, ast.Assign | ast.Expr):
            continue
        if isinstance(parent, ast.Attribute) and parent.attr in _HARMLESS:
            continue
        yield node, _find_reader(node, scopes)


def _find_reader(node: ast.expr, scopes: Scopes) -> ast.AST:
    """Finds what to name: the attribute that is read, or the call that gets the graph."""
    parent = scopes.parents.get(node)
    if isinstance(parent, ast.Attribute):
        return parent
    call = scopes.parents.get(parent) if isinstance(parent, ast.keyword) else parent
    return call if isinstance(call, ast.Call) else node


def opens_session(scopes: Scopes) -> bool:
    """Whether a file of TensorFlow 1 opens a session."""
    return any(symbol in roles.OPENINGS for _, symbol in scopes.walk_uses())


def has_graphs(scopes: Scopes) -> bool:
    """Whether a result runs functions in graphs of their own."""
    return any(
        alias.name.partition(".")[0] in _HAVE_GRAPHS
        for node in scopes.walk()
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    )


def _is_default_graph(node: ast.expr, scopes: Scopes) -> bool:
    """Whether an expression is the default graph: the call, or a name for it alone."""
    if isinstance(node, ast.Call):
        return scopes.resolve(node.func) == GRAPH
    if not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)):
        return False
    owner = scopes.find_scope(node).find_owner(node.id)
    bound = owner.bindings.get(node.id, []) if owner is not None else []
    return bool(bound) and all(
        isinstance(one, ast.Assign)
        and isinstance(one.value, ast.Call)
        and scopes.resolve(one.value.func) == GRAPH
        for one in bound
    )
