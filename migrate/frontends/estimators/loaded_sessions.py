"""Sessions beside an Estimator that run a graph which they load: an exported model, a GraphDef.

    with tf.Session(graph=tf.Graph()) as sess:
        tf.saved_model.loader.load(sess, ["serve"], directory)
        print(sess.run("y:0", {"x:0": batch}))

Such a session has a graph of its own, in which this program makes nothing. TensorFlow 2
loads and runs it as TensorFlow 1 did, in `tensorflow.compat.v1`.
"""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.sessions import between_graph
from migrate.frontends.sessions import plain as plain_sessions
from migrate.source.nodes import walk_breadth_first
from migrate.tables import loaded_sessions as table


@dataclasses.dataclass(frozen=True)
class LoadedSession:
    """`with tf.Session(graph=...) as sess:`, and the block around it that makes its graph.

    Attributes:
      call: what opens it.
      block: all that stands in its graph.
      bare: whether it has no graph of its own by name; it is the file's only session.
    """

    call: ast.Call
    block: ast.With
    bare: bool


def recognise(scopes: Scopes) -> tuple[LoadedSession, ...]:
    """The sessions of a file that only run what they load."""
    calls = between_graph.find_sessions(scopes)
    if scopes.imports_compat():
        return ()
    found = [_read_session(call, scopes, len(calls) == 1) for call in calls]
    return tuple(session for session in found if session is not None)


def _read_session(call: ast.Call, scopes: Scopes, alone: bool) -> LoadedSession | None:
    item = scopes.parents[call]
    block = scopes.parents[item] if isinstance(item, ast.withitem) else None
    if (
        not isinstance(block, ast.With)
        or len(block.items) != 1
        or not plain_sessions.is_plain(scopes, call)
        or not plain_sessions.is_local(scopes, call)
    ):
        return None
    graph = names.find_argument(call, "graph", 1)
    outer = scopes.parents[block]
    bare = False
    if graph is None and isinstance(outer, ast.With) and _opens_graph(outer, scopes):
        block = outer
    elif isinstance(graph, ast.Name):
        made = _is_empty_graph(graph, scopes)
        if not made:
            return None
        if isinstance(outer, ast.With) and _enters(outer, graph):
            block = outer
    elif graph is None:
        bare = alone and not _repeats(block, scopes) and _fetches_own(block)
        if not bare:
            return None
    elif not _is_graph(graph, scopes):
        return None
    return LoadedSession(call, block, bare) if _loads_only(block, scopes) else None


def _loads_only(block: ast.With, scopes: Scopes) -> bool:
    """Whether a block loads a graph, and makes none."""
    inside = set(walk_breadth_first(block))
    uses = [(node, s) for node, s in scopes.walk_uses() if node in inside]
    symbols = {s for _, s in uses if s.startswith("tf.")}
    if any(s in table.IN_COMPAT and not find_root(node, scopes) for node, s in uses):
        return False
    return bool(symbols & table.LOADS) and all(
        s in table.LOADS or s.startswith(table.BESIDE) for s in symbols
    )


def find_root(node: ast.expr, scopes: Scopes) -> str:
    """Returns the name of TensorFlow in `tf.symbol`; "" if it is no such expression."""
    while isinstance(node, ast.Attribute):
        node = node.value
    named = isinstance(node, ast.Name) and scopes.resolve(node) == "tf"
    return ast.unparse(node) if named else ""


def _fetches_own(block: ast.With) -> bool:
    """Whether all that the block runs is bound in it, or a string."""
    bound = set().union(set(), *[names.find_binds(s) for s in block.body])
    bound |= names.find_item_binds(block.items[0])
    for node in walk_breadth_first(block):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "eval":
                return False
            if node.func.attr == "run":
                fetched = names.find_argument(node, "fetches", 0)
                if fetched is None or names.find_reads(fetched) - bound:
                    return False
    return True


def _is_graph(node: ast.expr, scopes: Scopes) -> bool:
    return isinstance(node, ast.Call) and scopes.resolve(node.func) == "tf.Graph"


def _is_empty_graph(name: ast.Name, scopes: Scopes) -> bool:
    """Whether a name is bound once, to a graph that is made empty."""
    owner = scopes.find_scope(name).find_owner(name.id)
    bindings = owner.bindings[name.id] if owner is not None else []
    return (
        len(bindings) == 1
        and isinstance(bindings[0], ast.Assign)
        and _is_graph(bindings[0].value, scopes)
        and not any(
            _enters(block, name) and not _loads_only(block, scopes)
            for block in scopes.walk()
            if isinstance(block, ast.With)
        )
    )


def _enters(block: ast.With, name: ast.Name) -> bool:
    """`with graph.as_default():`."""
    return any(
        ast.unparse(item.context_expr) == f"{name.id}.as_default()"
        for item in block.items
    )


def _opens_graph(block: ast.With, scopes: Scopes) -> bool:
    """`with tf.Graph().as_default():`."""
    call = block.items[0].context_expr
    return (
        len(block.items) == 1
        and isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "as_default"
        and _is_graph(call.func.value, scopes)
    )


def _repeats(node: ast.AST, scopes: Scopes) -> bool:
    while node in scopes.parents:
        node = scopes.parents[node]
        if isinstance(node, (ast.For, ast.While)):
            return True
    return False
