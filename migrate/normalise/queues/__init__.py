"""TF1 to TF1: input by queues and their threads as datasets and their iterators.

Functions with a part in the input are brought to where they are called; producers and
readers become datasets whose elements are taken one by one; what makes a record and
batches it becomes a dataset's map and batch. The rest of the pipeline carries datasets.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.findings import Finding, Outcome
from migrate.normalise.queues import batches, helpers, joins, runners, scopes, sources
from migrate.normalise.queues.view import Note, State, Unread, View
from migrate.normalise.text import Text
from migrate.source.nodes import walk_breadth_first
from migrate.tables import queues as table

__all__ = ["Unread", "explain_refusal", "make_refusal", "replace_queues"]

# More rounds than any program needs.
_ROUNDS = 400


def replace_queues(text: Text) -> tuple[Text, tuple[Finding, ...]]:
    """The text without queue input, and what became of it.

    The same text if it has none, or not all of it can be read.
    """
    try:
        new, notes = _convert_queues(text)
    except Unread:
        return text, ()
    return new, tuple(
        Finding(n.line, 1, n.code, Outcome.REWRITTEN, n.symbol, n.reason) for n in notes
    )


def explain_refusal(text: Text) -> Unread | None:
    """Explains why queue input cannot become datasets; None if it can."""
    try:
        _convert_queues(text)
    except Unread as error:
        return error
    return None


def make_refusal(unread: Unread) -> Finding:
    """Makes the finding about queue input that cannot be read."""
    return Finding(
        unread.line,
        1,
        unread.code,
        Outcome.REFUSED,
        "",
        unread.reason,
        unread.recipe,
    )


def _convert_queues(text: Text) -> tuple[Text, list[Note]]:
    if not _may_have(text.source) or not _has_input(View(text)):
        return text, []
    state = State()
    brought: set[str] = set()
    for _ in range(_ROUNDS):
        view = View(text)
        new = (
            scopes.dissolve_block(view)
            or joins.rewrite_join(view, state)
            or helpers.bring_helper(view, state, brought)
            or sources.rewrite_producer(view, state)
            or sources.rewrite_read(view, state)
            or batches.rewrite_batch(view, state)
            or runners.drop_start(view, state)
        )
        if new is None:
            break
        text = new
    text = _drop_unread_readers(text)
    view = View(text)
    for call, symbol in view.list_calls():
        if symbol in table.INPUT:
            raise Unread(
                view,
                call,
                "I120",
                "the tool does not read this form of queue input",
                "Read the data with tf.data.",
            )
    _check_queues(view, state)
    return text, sorted(set(state.notes), key=lambda n: (n.line, n.code, n.reason))


def _may_have(source: str) -> bool:
    """Whether a text may have queue input at all; asked before it is parsed."""
    return any(symbol.rpartition(".")[2] in source for symbol in table.INPUT)


def _has_input(view: View) -> bool:
    return any(symbol in table.INPUT for _, symbol in view.list_calls())


def _drop_unread_readers(text: Text) -> Text:
    """The text without readers of which nothing is read any more."""
    while True:
        view = View(text)
        for call, symbol in view.list_calls():
            statement = view.scopes.parents[call]
            if (
                symbol in table.READERS
                and isinstance(statement, ast.Assign)
                and isinstance(statement.targets[0], ast.Name)
                and not view.loads(statement.targets[0].id, view.find_home(statement))
                and view.text.is_alone(statement)
            ):
                text = view.drop_statement(statement)
                break
        else:
            return text


def _check_queues(view: View, state: State) -> None:
    """Refuses uses of a queue itself: its size, or as a function's argument."""
    for node in walk_breadth_first(view.tree):
        if not (
            isinstance(node, (ast.Name, ast.Attribute))
            and isinstance(node.ctx, ast.Load)
            and names.find_key(node) in state.queues
        ):
            continue
        above = view.scopes.parents[node]
        if isinstance(above, ast.Attribute) and above.attr in ("flat_map", "map"):
            continue
        if isinstance(above, ast.Attribute) and above.attr == "batch":
            continue
        if isinstance(above, ast.Assign) and above.value is node:
            continue  # `elements = filename_queue`, made here.
        raise Unread(
            view,
            node,
            "I120",
            "the program uses the queue itself, and not only its elements",
            "Read the data with tf.data.",
        )
