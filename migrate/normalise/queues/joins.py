"""Lists of threads that are alike, as one: `batch_join([read(queue) for _ in range(4)])`.

Each thread reads files of its own of one queue; which record comes first depends on them.
One thread that reads all is one such order.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.normalise.queues.view import Note, State, Unread, View
from migrate.normalise.text import Edit, Text
from migrate.tables import queues as table


def one_joined(view: View, state: State) -> Text | None:
    """The text with one `..._join` as a batch of one thread; None where there is none."""
    for call, symbol in view.calls():
        if symbol in table.BATCHERS and table.BATCHERS[symbol].join:
            text = _joined(view, call, symbol)
            why = "threads that are alike, as one: their records in an order that they had"
            state.notes.append(Note(view.line(call), "I132", symbol, why))
            return text
    return None


def _joined(view: View, call: ast.Call, symbol: str) -> Text:
    parameters = table.BATCHERS[symbol].parameters
    bound = names.bound_arguments(call, parameters)
    if bound is None or parameters[0] not in bound:
        raise _unread(view, call, symbol, "its arguments cannot be told apart")
    if not isinstance(call.func, ast.Attribute):
        raise _unread(view, call, symbol, "it has a name of its own")
    shown, edits = _one(view, call, symbol, bound[parameters[0]])
    func = f"{view.flat(call.func.value)}.{call.func.attr.replace('_join', '')}"
    parts = [shown]
    for name, value in bound.items():
        if name != parameters[0]:
            parts.append(f"{name}={view.flat(value)}")
    return view.text.edited([*edits, Edit(call, f"{func}({', '.join(parts)})")])


def _one(
    view: View, call: ast.Call, symbol: str, given: ast.expr
) -> tuple[str, list[Edit]]:
    """One thread's tensors, and the edits that leave it alone."""
    if isinstance(given, ast.ListComp):
        return view.flat(_alike(view, call, symbol, given)), []
    if isinstance(given, (ast.List, ast.Tuple)) and len(given.elts) == 1:
        return view.flat(given.elts[0]), []
    if isinstance(given, ast.Name):
        bindings = view.bindings(given)
        made = bindings[0] if len(bindings) == 1 else None
        if (
            isinstance(made, ast.Assign)
            and isinstance(made.targets[0], ast.Name)
            and isinstance(made.value, ast.ListComp)
            and len(view.loads(given.id, view.home(given))) == 1
        ):
            one = view.flat(_alike(view, call, symbol, made.value))
            return given.id, [Edit(made.value, one)]
    raise _unread(view, call, symbol, "it joins several lists of tensors")


def _alike(view: View, call: ast.Call, symbol: str, made: ast.ListComp) -> ast.expr:
    """What `[read(queue) for _ in range(threads)]` makes for each thread."""
    generator = made.generators[0]
    counts = (
        isinstance(generator.iter, ast.Call)
        and isinstance(generator.iter.func, ast.Name)
        and generator.iter.func.id in ("range", "xrange")
    )
    if (
        len(made.generators) != 1
        or generator.ifs
        or not counts
        or names.binds(generator.target) & names.reads(made.elt)
    ):
        raise _unread(
            view, call, symbol, "it joins lists of tensors that are not alike"
        )
    return made.elt


def _unread(view: View, call: ast.Call, symbol: str, why: str) -> Unread:
    return Unread(view, call, "I136", f"{symbol}: {why}", "Read the data with tf.data.")
