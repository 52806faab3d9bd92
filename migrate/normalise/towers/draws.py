"""Batches that each tower draws for itself, of one iterator.

    iterator = dataset.make_one_shot_iterator()
    for i in range(num_gpus):
        with tf.device("/gpu:%d" % i):
            images, labels = iterator.get_next()

becomes a dataset whose elements are a step's batches, one for each tower:

    iterator = plain_session.for_towers(dataset, num_gpus).make_one_shot_iterator()
    tower_batches = iterator.get_next()
    for i in range(num_gpus):
        with tf.device("/gpu:%d" % i):
            images, labels = tower_batches[i]

TF1's towers drew at once, so that which of them had which batch was not defined; of a
step all together had the same batches.
"""

from __future__ import annotations

import ast

from migrate.facts import names, reach
from migrate.normalise.text import Edit
from migrate.normalise.towers.body import find_outermost
from migrate.normalise.towers.iteration import Iterated
from migrate.normalise.towers.view import Unclear, View, find_view
from migrate.source.nodes import walk_breadth_first

_METHODS = ("make_one_shot_iterator", "make_initializable_iterator")
_FUNCTIONS = frozenset(f"tf.data.{name}" for name in _METHODS)
_OWN = "every tower draws its own batch. Draw one batch, and split it"


def join_draws(view: View, over: Iterated, index: str) -> View | None:
    """The loop in a text that draws all towers' batches before it; None if it draws none.

    Args:
      over: what it goes over.
      index: the name that a tower's number has in the loop.

    Raises:
      Unclear: it draws in another way.
    """
    drawn = [node for node in view.inside if _draws(view, node)]
    elsewhere = [
        node
        for root in reach.find_reached(view.scopes, [view.loop])
        for node in walk_breadth_first(root)
        if _draws(view, node)
    ]
    if elsewhere:
        raise Unclear(_OWN)
    if not drawn:
        return None
    if len(drawn) > 1:
        raise Unclear("every tower draws several batches")
    (call,) = drawn
    assert isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
    statement = view.scopes.parents[call]
    if not (isinstance(statement, ast.Assign) and _is_plain(view, statement)):
        raise Unclear(_OWN)
    dataset = _find_dataset(view, call.func.value)
    if dataset is None or not _is_known_before(view, over.count, dataset):
        raise Unclear(_OWN)
    batches = view.choose_free_name("tower_batches")
    shown = view.flatten_expression(dataset)
    edits = [
        Edit(dataset, f"plain_session.for_towers({shown}, {over.count})"),
        Edit(call, f"{batches}[{index}]"),
    ]
    outer = find_outermost(view)
    indent = view.text.lines[outer.lineno - 1][: outer.col_offset]
    line = f"{indent}{batches} = {view.flatten_expression(call)}"
    origin = view.text.origins[statement.lineno - 1]
    text = view.text.apply_edits(edits)
    found = find_view(text.splice(outer.lineno, outer.lineno - 1, [line], [origin]))
    assert found is not None
    return found


def _draws(view: View, node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("get_next", "dequeue")
        and view.scopes.resolve(node.func) is None
    )


def _is_plain(view: View, statement: ast.Assign) -> bool:
    """Whether a statement of the loop is in no more than blocks, and can be moved."""
    node: ast.AST = view.scopes.parents[statement]
    while isinstance(node, ast.With):
        node = view.scopes.parents[node]
    return node is view.loop and view.text.is_alone(statement)


def _find_dataset(view: View, iterator: ast.expr) -> ast.expr | None:
    """Returns the dataset of a named iterator from which nothing else draws."""
    if not isinstance(iterator, ast.Name):
        return None
    owner = view.scopes.find_scope(iterator).find_owner(iterator.id)
    bindings = owner.bindings.get(iterator.id, []) if owner is not None else []
    drawing = [
        node
        for node in walk_breadth_first(view.scopes.tree)
        if _draws(view, node) and names.find_key(node.func.value) == iterator.id  # type: ignore[attr-defined]
    ]
    if len(bindings) != 1 or len(drawing) != 1:
        return None
    made = bindings[0].value if isinstance(bindings[0], ast.Assign) else None
    if not isinstance(made, ast.Call) or made in view.inside:
        return None
    if view.scopes.resolve(made.func) in _FUNCTIONS and len(made.args) == 1:
        return made.args[0]
    if (
        isinstance(made.func, ast.Attribute)
        and made.func.attr in _METHODS
        and not view.scopes.resolve(made.func)
    ):
        return made.func.value
    return None


def _is_known_before(view: View, count: str, dataset: ast.expr) -> bool:
    """Whether the number of towers is known where the dataset is asked for."""
    scope = view.scopes.find_scope(view.loop)
    return all(
        getattr(bound, "lineno", 0) < dataset.lineno
        for node in walk_breadth_first(ast.parse(count))
        if isinstance(node, ast.Name) and (owner := scope.find_owner(node.id)) is scope
        for bound in owner.bindings.get(node.id, [])
    )
