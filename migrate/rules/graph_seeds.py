"""A graph's seed as what gives TensorFlow 2 the same: `tf.set_random_seed`.

    with tf.Graph().as_default() as g:
      g.seed = 7  # tf.set_random_seed(7)

Both set the same attribute of the same graph, if that is the default graph there. A graph that
is given its seed before it is entered is the only one that the file makes.
"""

from __future__ import annotations

import ast
import re

from migrate.facts.graph_objects import is_graph
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first

_STORE = re.compile(r"\.seed\s*=[^=]")


def write_as_calls(text: str, scopes: Scopes) -> str | None:
    """The text with each graph's seed set by a call; None where there is none to write."""
    if not _STORE.search(text):
        return None
    if scopes.find_imported_path("tf") != "tensorflow":
        return None
    found = [
        node
        for node in scopes.walk()
        if isinstance(node, ast.Assign)
        and node.lineno == node.end_lineno
        and gives_seed(node, scopes)
        and _is_default(node, scopes)
    ]
    lines = text.split("\n")
    # From the last one: those before it on its line stay where they are. Offsets count bytes.
    for node in sorted(found, key=lambda n: -n.col_offset):
        line = lines[node.lineno - 1].encode()
        value = line[node.value.col_offset : node.value.end_col_offset]
        call = b"tf.set_random_seed(" + value + b")"
        line = line[: node.col_offset] + call + line[node.end_col_offset :]
        lines[node.lineno - 1] = line.decode()
    return "\n".join(lines) if found else None


def gives_seed(node: ast.AST, scopes: Scopes) -> bool:
    """Whether a statement is `graph.seed = 7`."""
    return (
        isinstance(node, ast.Assign)
        and len(node.targets) == 1
        and isinstance(target := node.targets[0], ast.Attribute)
        and target.attr == "seed"
        and is_graph(target.value, scopes)
    )


def _is_default(node: ast.Assign, scopes: Scopes) -> bool:
    """Whether the graph is the default one, or the only one that the program uses."""
    target = node.targets[0]
    assert isinstance(target, ast.Attribute)
    graph = target.value
    if (
        isinstance(graph, ast.Call)
        and scopes.resolve(graph.func) == "tf.get_default_graph"
    ):
        return True
    made = [
        call
        for call in walk_breadth_first(scopes.tree)
        if isinstance(call, ast.Call)
        and scopes.resolve(call.func)
        in ("tf.Graph", "tf.get_default_graph", "tf.reset_default_graph")
    ]
    if len(made) == 1:
        return any(
            isinstance(n, ast.Attribute) and n.attr == "as_default"
            for n in scopes.walk()
        )
    above: ast.AST = node
    while (above := scopes.parents.get(above, scopes.tree)) is not scopes.tree:
        if isinstance(above, ast.FunctionDef | ast.ClassDef | ast.Lambda):
            return False
        for item in above.items if isinstance(above, ast.With) else ():
            entered = item.context_expr
            if (
                isinstance(entered, ast.Call)
                and isinstance(entered.func, ast.Attribute)
                and entered.func.attr == "as_default"
            ):
                names = [entered.func.value, item.optional_vars]
                shown = [ast.unparse(n) for n in names if n is not None]
                return ast.unparse(graph) in shown
    return False
