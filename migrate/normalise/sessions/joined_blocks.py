"""TF1 to TF1: a session's block, and one that only has it or that only it has, are one.

    with open("log", "w") as log:             x = tf.placeholder(tf.float32)
        x = tf.placeholder(tf.float32)        loss = ...
        loss = ...                            with open("log", "w") as log, tf.Session() as sess:
        with tf.Session() as sess:                sess.run(loss, ...)
            sess.run(loss, ...)

What stands in the outer block before the session's stands before both where it only builds
graph: that, and opening a file, do not see each other.
"""

from __future__ import annotations

import ast

from migrate.facts import effects, names
from migrate.facts.scopes import Scopes, build_scopes
from migrate.normalise.text import Text, find_lines_inside_strings, repeat_step
from migrate.source.nodes import parse_source, walk_breadth_first
from migrate.tables import roles

_OPENS_FILE = frozenset({"bz2.open", "codecs.open", "gzip.open", "io.open"})


def join_blocks(text: Text) -> Text:
    """The text with such blocks as one; the same text if there are none."""
    return repeat_step(text, _join_blocks) if may_join(text) else text


def may_join(text: Text) -> bool:
    """Whether a text has both blocks, somewhere."""
    return "Session(" in text.source and "open(" in text.source


def _join_blocks(text: Text) -> Text | None:
    scopes = build_scopes(parse_source(text.source))
    for outer in scopes.walk():
        if not isinstance(outer, ast.With):
            continue
        inner, leading = outer.body[-1], outer.body[:-1]
        if not isinstance(inner, ast.With):
            continue
        if _is_plain(scopes, outer) and _opens(scopes, inner):
            before = _is_graph_before(scopes, outer, leading)
        else:
            plain = _opens(scopes, outer) and _is_plain(scopes, inner)
            before = plain and not leading
        if before and _is_on_lines(text, outer) and _is_on_lines(text, inner):
            return _join_two_blocks(text, outer, inner)
    return None


def _opens(scopes: Scopes, block: ast.With) -> bool:
    """Whether a block opens a session and nothing else."""
    return all(
        isinstance(item.context_expr, ast.Call)
        and scopes.resolve(item.context_expr.func) in roles.SESSIONS
        for item in block.items
    )


def _is_plain(scopes: Scopes, block: ast.With) -> bool:
    """Whether a block only opens files."""
    return all(
        isinstance(item.context_expr, ast.Call)
        and _opens_file(scopes, item.context_expr.func)
        for item in block.items
    )


def _opens_file(scopes: Scopes, function: ast.expr) -> bool:
    if isinstance(function, ast.Name) and function.id == "open":
        return scopes.find_scope(function).find_owner("open") is None
    return scopes.find_dotted_path(function) in _OPENS_FILE


def _is_graph_before(scopes: Scopes, outer: ast.With, leading: list[ast.stmt]) -> bool:
    """Whether what a block begins with only builds graph, of nothing that it opens."""
    opened = set().union(*[names.find_item_binds(item) for item in outer.items])
    header = set().union(*[names.find_reads(item.context_expr) for item in outer.items])
    return all(
        isinstance(statement, ast.Assign)
        and not names.find_reads(statement) & opened
        and not names.find_binds(statement) & header
        and all(
            not isinstance(node, ast.Call) or _is_of_graph(scopes, node)
            for node in walk_breadth_first(statement)
        )
        for statement in leading
    )


def _is_of_graph(scopes: Scopes, call: ast.Call) -> bool:
    """Whether a call is of TensorFlow, or of a method that makes an update."""
    if effects.consumes(call):
        return False
    symbol = scopes.resolve(call.func)
    if symbol is not None:
        return symbol.startswith("tf.") and symbol not in roles.SESSIONS
    func = call.func
    return isinstance(func, ast.Attribute) and func.attr in roles.OPTIMIZER_METHODS


def _is_on_lines(text: Text, block: ast.With) -> bool:
    """Whether a header has one line, without a comment, and the rest lines of its own."""
    return (
        text.is_alone(block)
        and text.lines[block.lineno - 1].rstrip().endswith(":")
        and all(item.context_expr.end_lineno == block.lineno for item in block.items)
        and block.body[0].lineno > block.lineno
        and not find_lines_inside_strings(block)
    )


def _join_two_blocks(text: Text, outer: ast.With, inner: ast.With) -> Text:
    head, first = text.lines[outer.lineno - 1], text.lines[outer.body[0].lineno - 1]
    step = first[len(head) - len(head.lstrip()) : len(first) - len(first.lstrip())]
    indent = head[: len(head) - len(head.lstrip())]
    items = [*outer.items, *inner.items]
    header = f"{indent}with {', '.join(_spell_item(text, item) for item in items)}:"
    begin, end = outer.lineno, outer.end_lineno or outer.lineno
    numbers = [n for n in range(begin + 1, end + 1)]
    lines = [
        header
        if n == inner.lineno
        else text.lines[n - 1].replace(indent + step, indent, 1)
        for n in numbers
    ]
    return text.splice(begin, end, lines, [text.origins[n - 1] for n in numbers])


def _spell_item(text: Text, item: ast.withitem) -> str:
    call = text.find_segment(item.context_expr)
    if item.optional_vars is None:
        return call
    return f"{call} as {text.find_segment(item.optional_vars)}"
