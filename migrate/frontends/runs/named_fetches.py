"""Explains why a tensor fetched by its graph name is not known, and what to do."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first

_ASKS = ("get_tensor_by_name", "get_operation_by_name", "as_graph_element")


def explain_name(
    fetched: ast.expr, makers: Iterable[ast.Call], scopes: Scopes
) -> tuple[str, str] | None:
    """The reason and the recipe; None if nothing is fetched by a name, or none is made.

    Args:
      fetched: what the run fetches.
      makers: the calls whose result it holds.
    """
    name = _find_name(fetched, makers)
    if name is None:
        return None
    tensor = name.partition(":")[0]
    made = [
        node
        for node in walk_breadth_first(scopes.tree)
        if isinstance(node, ast.Call)
        and names.read_literal(names.find_argument(node, "name"))
        == tensor.rpartition("/")[2]
    ]
    recipe = "Give the tensor to a variable, and fetch that: sess.run(accuracy)."
    if not made:
        return (
            f"the run fetches the tensor `{name}` by its name, but no call in this file "
            f"has `name={tensor.rpartition('/')[2]!r}`",
            f"{recipe} If a file has the graph, load the model with "
            "tf.saved_model.load, and call its signature.",
        )
    maker = ast.unparse(made[0].func)
    return (
        f"the run fetches the tensor `{name}` by its name. `{maker}(...)` seems to make "
        "it, but the tool is not certain which tensor of the graph has this name",
        recipe,
    )


def _find_name(fetched: ast.expr, makers: Iterable[ast.Call]) -> str | None:
    """The name by which a tensor is asked for, if it is written out."""
    if isinstance(fetched, ast.Constant) and isinstance(fetched.value, str):
        return fetched.value
    asks = [
        node
        for node in (*walk_breadth_first(fetched), *makers)
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in _ASKS
    ]
    for call in asks:
        given = names.read_literal(call.args[0] if call.args else None)
        if isinstance(given, str):
            return given
    return None
