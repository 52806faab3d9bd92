"""Finds the towers whose UPDATE_OPS move the averages of batch normalisation.

    for i in range(num_gpus):
        with tf.name_scope("tower_%d" % i) as scope:
            ...
            if i == 0:
                update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope)
    with tf.control_dependencies(update_ops):
        train_op = opt.apply_gradients(average_gradients(tower_grads))

runs the first tower's; without the condition the last one's; without the scope, after the
loop, all of them, one after the other. The list is asked for after the loop, where it is
empty: the layers move their averages themselves, by the towers that are told to.
"""

from __future__ import annotations

import ast
import re

from migrate.facts import names, reach
from migrate.normalise.towers.body import find_outermost
from migrate.normalise.towers.view import Unclear, View, find_view
from migrate.source.nodes import walk_breadth_first

LAYERS = frozenset({"tf.layers.batch_normalization"})
_KEY = "tf.GraphKeys.UPDATE_OPS"
_OTHERWISE = (
    "the towers normalise batches, and the tool does not know how the "
    "program runs their UPDATE_OPS"
)


def normalises(view: View) -> bool:
    """Whether the towers normalise batches."""
    return any(
        isinstance(node, ast.Call) and view.scopes.resolve(node.func) in LAYERS
        for root in [view.loop, *reach.find_reached(view.scopes, [view.loop])]
        for node in walk_breadth_first(root)
    )


def move_updates(view: View, index: str) -> tuple[View, str]:
    """The loop in a text that asks for the updates after it, and whose they are.

    Args:
      index: the name that a tower's number has in the loop.

    Returns:
      The loop, and "first", "last" or "all"; "" if nothing asks for them.

    Raises:
      Unclear: they are asked for several times, or used in the loop.
    """
    asked = [
        node
        for node in walk_breadth_first(view.scopes.tree)
        if isinstance(node, ast.Call)
        and view.scopes.resolve(node.func) == "tf.get_collection"
        and node.args
        and view.scopes.resolve(node.args[0]) == _KEY
    ]
    if not asked:
        return view, ""
    if len(asked) > 1:
        raise Unclear(_OTHERWISE)
    (call,) = asked
    scope = names.find_argument(call, "scope", 1)
    if call not in view.inside:
        if call.lineno < view.loop.lineno:
            raise Unclear(_OTHERWISE)
        if scope is None:
            return view, "all"
        if re.fullmatch(r"[^\d]*0/?", str(names.read_literal(scope))):
            return view, "first"
        raise Unclear(_OTHERWISE)
    return _move_after_loop(view, call, index)


def _move_after_loop(view: View, call: ast.Call, index: str) -> tuple[View, str]:
    """Moves a tower's own request for the updates after the loop."""
    statement = view.scopes.parents[call]
    if not (
        isinstance(statement, ast.Assign)
        and len(statement.targets) == 1
        and isinstance(statement.targets[0], ast.Name)
        and view.text.is_alone(statement)
    ):
        raise Unclear(_OTHERWISE)
    name = statement.targets[0].id
    if any(
        isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
        for n in view.inside
    ):
        raise Unclear(_OTHERWISE)
    outer = find_outermost(view)
    scope = names.find_argument(call, "scope", 1)
    branch = view.scopes.parents[statement]
    gone: ast.stmt = statement
    who = "last" if scope is not None else "all"
    if isinstance(branch, ast.If):
        if not _is_first(branch, index) or branch.orelse:
            raise Unclear(_OTHERWISE)
        who = "first"
        gone = branch if len(branch.body) == 1 else statement
    elif len(getattr(branch, "body", [])) == 1:
        raise Unclear(_OTHERWISE)
    indent = view.text.lines[outer.lineno - 1][: outer.col_offset]
    assert isinstance(call.func, ast.Attribute)
    get, key = view.flatten_expression(call.func), view.flatten_expression(call.args[0])
    end = outer.end_lineno or outer.lineno
    origin = view.text.origins[call.lineno - 1]
    text = view.text.splice(end + 1, end, [f"{indent}{name} = {get}({key})"], [origin])
    text = text.splice(gone.lineno, gone.end_lineno or gone.lineno, [], [])
    found = find_view(text)
    assert found is not None
    return found, who


def _is_first(branch: ast.If, index: str) -> bool:
    """`if i == 0:`, or `if not i:`."""
    return ast.unparse(branch.test) in (
        f"{index} == 0",
        f"not {index}",
        f"0 == {index}",
    )
