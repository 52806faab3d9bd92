"""Removes the start and stop of threads that fill queues: datasets need none."""

from __future__ import annotations

import ast

from migrate.facts import thread_lists
from migrate.normalise.queues.view import Note, State, Unread, View
from migrate.normalise.text import Edit, Text
from migrate.source.nodes import walk_breadth_first
from migrate.tables import queues as table

_EMPTY = (
    "the list of threads would be empty, because no thread fills queues in the "
    "migrated program"
)
_EMPTY_RECIPE = (
    "Use the list of threads for nothing but coord.join(threads), in the file that "
    "starts them."
)
_COLLECTION = "tf.GraphKeys.QUEUE_RUNNERS"


def drop_start(view: View, state: State) -> Text | None:
    """The text without one start of queue runners; None if there is none."""
    for node in walk_breadth_first(view.tree):
        if isinstance(node, ast.Call) and _starts(view, node):
            _check_list(view, node)
            statement = view.find_statement(node)
            state.notes.append(
                Note(
                    view.find_line(node),
                    "I131",
                    table.START,
                    "there is nothing to start",
                )
            )
            if isinstance(statement, ast.Expr) and view.text.is_alone(statement):
                return view.drop_statement(statement)
            return view.text.apply_edits([Edit(node, "[]")])
        if isinstance(node, ast.For) and _starts_each(view, node):
            state.notes.append(
                Note(
                    view.find_line(node),
                    "I131",
                    _COLLECTION,
                    "there is nothing to start",
                )
            )
            for call in walk_breadth_first(node.body[0]):
                if isinstance(call, ast.Call) and _creates_threads(call):
                    _check_list(view, call)
            if not view.text.is_alone(node):
                raise Unread(
                    view, node, "I120", "a loop over queue runners", "Remove the loop."
                )
            return view.drop_statement(node)
    return None


def _starts(view: View, call: ast.Call) -> bool:
    """`tf.train.start_queue_runners(...)`, or a Supervisor's method of that name."""
    if view.scopes.resolve(call.func) == table.START:
        return True
    if not (
        isinstance(call.func, ast.Attribute)
        and call.func.attr == "start_queue_runners"
        and isinstance(call.func.value, ast.Name)
    ):
        return False
    return any(
        isinstance(binding, ast.Assign)
        and isinstance(binding.value, ast.Call)
        and view.scopes.resolve(binding.value.func) == "tf.train.Supervisor"
        for binding in view.list_bindings(call.func.value)
    )


def _starts_each(view: View, loop: ast.For) -> bool:
    """`for qr in tf.get_collection(QUEUE_RUNNERS): threads.extend(qr.create_threads(...))`."""
    call = loop.iter
    return (
        isinstance(call, ast.Call)
        and view.scopes.resolve(call.func) == "tf.get_collection"
        and bool(call.args)
        and view.scopes.resolve(call.args[0]) == _COLLECTION
        and len(loop.body) == 1
        and isinstance(loop.body[0], ast.Expr)
        and any(
            isinstance(n, ast.Call) and _creates_threads(n)
            for n in walk_breadth_first(loop.body[0])
        )
    )


def _creates_threads(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "create_threads"


def _check_list(view: View, call: ast.Call) -> None:
    """Refuses a list of threads that is not only joined: the new one is empty.

    Raises:
      Unread: it is used for something else, at the line of that use.
    """
    other = thread_lists.find_other_use(view.scopes, call)
    if other is not None:
        raise Unread(view, other, "I120", _EMPTY, _EMPTY_RECIPE)
