"""Lists of threads that are alike, as one: `batch_join([read(queue) for _ in range(4)])`.

Each thread reads files of its own of one queue; which record comes first depends on them.
One thread that reads all is one such order.
"""

from __future__ import annotations

import ast
import textwrap

from migrate.facts import names
from migrate.normalise.queues.view import Note, State, Unread, View
from migrate.normalise.text import Edit, Text, find_lines_inside_strings
from migrate.source.nodes import walk_breadth_first
from migrate.tables import queues as table


def rewrite_join(view: View, state: State) -> Text | None:
    """The text with one `..._join` as a batch of one thread; None if there is none."""
    for call, symbol in view.list_calls():
        if symbol in table.BATCHERS and table.BATCHERS[symbol].join:
            once = _drop_loop(view, call, table.BATCHERS[symbol].parameters)
            if once is not None:
                return once
            text = _join_batches(view, call, symbol)
            why = (
                "several equal threads become one: the records come in an order that "
                "was also possible"
            )
            state.notes.append(Note(view.find_line(call), "I112", symbol, why))
            return text
    return None


def _drop_loop(view: View, call: ast.Call, parameters: tuple[str, ...]) -> Text | None:
    """The text in which a loop that fills the list of threads is what one thread does.

    examples = []
    for _ in range(num_threads):
        image, label = read(queue)
        examples.append([image, label])
    images, labels = tf.train.batch_join(examples, batch_size)
    """
    given = (names.bind_arguments(call, parameters) or {}).get(parameters[0])
    bindings = view.list_bindings(given) if isinstance(given, ast.Name) else []
    begun = bindings[0] if len(bindings) == 1 else None
    if not (
        isinstance(given, ast.Name)
        and isinstance(begun, ast.Assign)
        and isinstance(begun.value, ast.List)
        and not begun.value.elts
    ):
        return None
    used, suite = view.find_statement(call), view.find_suite(begun)
    loops = [
        s
        for s in suite[suite.index(begun) + 1 :]
        if isinstance(s, ast.For) and given.id in names.find_reads(s)
    ]
    if used not in suite or len(loops) != 1:
        return None
    (loop,) = loops
    own = _read_thread_value(view, loop, given.id)
    if own is None or len(view.loads(given.id, view.find_home(given))) != 2:
        return None
    between = suite[suite.index(loop) + 1 : suite.index(used)]
    if any(names.find_binds(s) & names.find_reads(own) for s in between):
        return None
    body = loop.body[:-1]
    first, last = loop.lineno, loop.end_lineno or loop.lineno
    start, end = body[0].lineno, body[-1].end_lineno or body[-1].lineno
    indent = view.indent(loop)
    lines = textwrap.dedent("\n".join(view.text.lines[start - 1 : end])).split("\n")
    lines = [indent + line if line else line for line in lines]
    origins = view.text.origins[start - 1 : end]
    text = view.text.apply_edits([Edit(given, f"[{view.flatten_expression(own)}]")])
    text = text.splice(first, last, lines, origins)
    return text.splice(begun.lineno, begun.end_lineno or begun.lineno, [], [])


def _read_thread_value(view: View, loop: ast.For, listed: str) -> ast.expr | None:
    """Returns what each round of a loop appends to a list, if all rounds are alike."""
    last = loop.body[-1]
    call = last.value if isinstance(last, ast.Expr) else None
    if not (
        isinstance(call, ast.Call)
        and names.find_key(call.func) == f"{listed}.append"
        and len(call.args) == 1
        and len(loop.body) > 1
        and not loop.orelse
        and isinstance(loop.iter, ast.Call)
        and names.find_key(loop.iter.func) in ("range", "xrange")
    ):
        return None
    inside = [n for s in loop.body for n in walk_breadth_first(s)]
    told_apart = names.find_binds(loop.target) & set().union(
        *map(names.find_reads, loop.body)
    )
    carried = (ast.AugAssign, ast.Break, ast.Continue, ast.Return)
    if told_apart or any(isinstance(n, carried) for n in inside):
        return None
    if any(
        find_lines_inside_strings(s) or not view.text.is_alone(s) for s in loop.body
    ):
        return None
    return call.args[0]


def _join_batches(view: View, call: ast.Call, symbol: str) -> Text:
    parameters = table.BATCHERS[symbol].parameters
    bound = names.bind_arguments(call, parameters)
    if bound is None or parameters[0] not in bound:
        raise _make_unread(
            view, call, symbol, "the tool cannot tell its arguments apart"
        )
    if not isinstance(call.func, ast.Attribute):
        raise _make_unread(view, call, symbol, "it has a name of its own")
    shown, edits = _take_one_thread(view, call, symbol, bound[parameters[0]])
    func = f"{view.flatten_expression(call.func.value)}.{call.func.attr.replace('_join', '')}"
    parts = [shown]
    for name, value in bound.items():
        if name != parameters[0]:
            parts.append(f"{name}={view.flatten_expression(value)}")
    return view.text.apply_edits([*edits, Edit(call, f"{func}({', '.join(parts)})")])


def _take_one_thread(
    view: View, call: ast.Call, symbol: str, given: ast.expr
) -> tuple[str, list[Edit]]:
    """Returns one thread's tensors, and the edits that keep this thread alone."""
    if isinstance(given, ast.ListComp):
        return view.flatten_expression(_find_common_call(view, call, symbol, given)), []
    if isinstance(given, (ast.List, ast.Tuple)) and len(given.elts) == 1:
        return view.flatten_expression(given.elts[0]), []
    if isinstance(given, ast.Name):
        bindings = view.list_bindings(given)
        made = bindings[0] if len(bindings) == 1 else None
        if (
            isinstance(made, ast.Assign)
            and isinstance(made.targets[0], ast.Name)
            and isinstance(made.value, ast.ListComp)
            and len(view.loads(given.id, view.find_home(given))) == 1
        ):
            one = view.flatten_expression(
                _find_common_call(view, call, symbol, made.value)
            )
            return given.id, [Edit(made.value, one)]
    raise _make_unread(view, call, symbol, "it joins several lists of tensors")


def _find_common_call(
    view: View, call: ast.Call, symbol: str, made: ast.ListComp
) -> ast.expr:
    """Returns `read(queue)` of `[read(queue) for _ in range(threads)]`."""
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
        or names.find_binds(generator.target) & names.find_reads(made.elt)
    ):
        raise _make_unread(
            view,
            call,
            symbol,
            "it joins lists of tensors that are made in different ways",
        )
    return made.elt


def _make_unread(view: View, call: ast.Call, symbol: str, why: str) -> Unread:
    return Unread(view, call, "I120", f"{symbol}: {why}", "Read the data with tf.data.")
