"""Batches that towers take from contrib.slim's prefetch queue: each draws its own.

    images, labels = iterator.get_next()
    labels = tf.cast(labels, tf.int64)
    batch_queue = tf.contrib.slim.prefetch_queue.prefetch_queue([images, labels])
    for i in range(num_gpus):
        with tf.device("/gpu:%d" % i):
            image_batch, label_batch = batch_queue.dequeue()

The queue only computed ahead. In each tower stands what made the elements it took:

    for i in range(num_gpus):
        with tf.device("/gpu:%d" % i):
            images, labels = iterator.get_next()
            labels = tf.cast(labels, tf.int64)
            image_batch, label_batch = [images, labels]
"""

from __future__ import annotations

import ast
import textwrap

from migrate.facts import names
from migrate.normalise.text import Edit, find_lines_inside_strings
from migrate.normalise.towers.view import Unclear, View, find_view
from migrate.source.nodes import walk_breadth_first

_QUEUE = "tf.contrib.slim.prefetch_queue.prefetch_queue"
_REASON = "the tool does not read how the towers take batches from a prefetch queue"


def draw_per_tower(view: View) -> View | None:
    """The loop in a text whose towers draw for themselves; None if there is no queue.

    Raises:
      Unclear: what made the queue's elements cannot be moved.
    """
    made = next(
        (
            node
            for node in walk_breadth_first(view.scopes.tree)
            if isinstance(node, ast.Call) and view.scopes.resolve(node.func) == _QUEUE
        ),
        None,
    )
    if made is None:
        return None
    statement = view.scopes.parents[made]
    tensors = names.find_argument(made, "tensors", 0)
    if not (
        isinstance(statement, ast.Assign)
        and isinstance(statement.targets[0], ast.Name)
        and tensors is not None
        and made not in view.inside
    ):
        raise Unclear(_REASON)
    taken = _find_queue_read(view, statement.targets[0].id)
    suite = _find_suite(view, statement)
    before = suite[: suite.index(statement)]
    moved = _find_makers(before, names.find_reads(tensors))
    lines: list[str] = []
    shown = view.text
    gone: list[ast.stmt] = [statement, *moved]
    named: list[Edit] = []
    for each in moved:
        if find_lines_inside_strings(each) or not view.text.is_alone(each):
            raise Unclear(_REASON)
        edit = _name_iterator(view, each)
        if edit is not None:
            named.append(edit)
    values = set().union(*[names.find_binds(s) for s in moved])
    for each in before[before.index(moved[0]) :]:
        if each in moved or not names.find_reads(each) & values:
            continue
        if not _shows_only(view, each):
            raise Unclear(_REASON)
        gone.append(each)
    # The iterator that an element is drawn of stays where it was made.
    iterators: list[tuple[ast.stmt, str]] = []
    for edit in named:
        name = view.choose_free_name("tower_iterator")
        owner = names.find_statement(view.scopes.parents, edit.node)
        iterators.append((owner, f"{name} = {edit.new}"))
        shown = shown.apply_edits([Edit(edit.node, name)])
    for each in moved:
        part = shown.lines[each.lineno - 1 : each.end_lineno]
        lines += textwrap.dedent("\n".join(part)).split("\n")
    target = view.flatten_expression(taken.targets[0])
    lines.append(f"{target} = {view.flatten_expression(tensors)}")
    indent = view.text.lines[taken.lineno - 1][: taken.col_offset]
    text = view.text.splice(
        taken.lineno,
        taken.end_lineno or taken.lineno,
        [indent + line if line.strip() else "" for line in lines],
        [view.text.origins[taken.lineno - 1]] * len(lines),
    )
    for each in sorted(gone, key=lambda s: -s.lineno):
        kept = [line for owner, line in iterators if owner is each]
        column = view.text.lines[each.lineno - 1][: each.col_offset]
        text = text.splice(
            each.lineno,
            each.end_lineno or each.lineno,
            [column + line for line in kept],
            [view.text.origins[each.lineno - 1]] * len(kept),
        )
    found = find_view(text)
    assert found is not None
    return found


def _find_queue_read(view: View, queue: str) -> ast.Assign:
    """Finds the tower's statement that takes from the queue, the queue's only use."""
    uses = [
        node
        for node in walk_breadth_first(view.scopes.tree)
        if isinstance(node, ast.Name)
        and node.id == queue
        and isinstance(node.ctx, ast.Load)
    ]
    if len(uses) != 1 or uses[0] not in view.inside:
        raise Unclear(_REASON)
    method = view.scopes.parents[uses[0]]
    call = view.scopes.parents[method]
    statement = view.scopes.parents[call]
    if not (
        isinstance(method, ast.Attribute)
        and method.attr == "dequeue"
        and isinstance(call, ast.Call)
        and isinstance(statement, ast.Assign)
        and view.text.is_alone(statement)
    ):
        raise Unclear(_REASON)
    return statement


def _find_makers(before: list[ast.stmt], wanted: set[str]) -> list[ast.stmt]:
    """Finds the statements that make these names, from the drawn element on.

    Raises:
      Unclear: no element is drawn, or some of it is not made in these statements alone.
    """
    found: list[ast.stmt] = []
    needed = set(wanted)
    for statement in reversed(before):
        if not names.find_binds(statement) & needed:
            continue
        if not isinstance(statement, (ast.Assign, ast.If)):
            raise Unclear(_REASON)
        found.insert(0, statement)
        if _draws(statement):
            return found
        needed |= names.find_reads(statement)
    raise Unclear(_REASON)


def _draws(statement: ast.stmt) -> bool:
    return any(
        isinstance(n, ast.Attribute) and n.attr == "get_next"
        for n in walk_breadth_first(statement)
    )


def _name_iterator(view: View, statement: ast.stmt) -> Edit | None:
    """`dataset.make_one_shot_iterator()`, of which a statement draws; where it has no name."""
    for node in walk_breadth_first(statement):
        if isinstance(node, ast.Attribute) and node.attr == "get_next":
            if not isinstance(node.value, ast.Name):
                return Edit(node.value, view.flatten_expression(node.value))
    return None


def _shows_only(view: View, statement: ast.stmt) -> bool:
    """Whether it is only a summary, in a program that never merges all summaries."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and (view.scopes.resolve(statement.value.func) or "").startswith("tf.summary.")
        and "merge_all" not in view.text.source
        and view.text.is_alone(statement)
    )


def _find_suite(view: View, statement: ast.stmt) -> list[ast.stmt]:
    parent = view.scopes.parents[statement]
    assert isinstance(parent, ast.stmt)
    for _, suite in names.list_suites(parent):
        if statement in suite:
            return suite
    raise Unclear(_REASON)
