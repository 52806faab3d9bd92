"""One state of a program's text, as the steps that write feeds out read it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scope, build_scopes
from migrate.normalise.text import Text, find_lines_inside_strings
from migrate.source.nodes import (
    find_plain_names,
    list_children,
    parse_source,
    walk_breadth_first,
)


class Unclear(Exception):
    """The feed is used in a way that is not understood; it stays as it is."""


class View:
    """Text, tree and names of a program, and where in it a node stands."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self.tree = parse_source(text.source)
        self.scopes = build_scopes(self.tree)
        self._named_now: set[str] = set()

    def find_statement(self, node: ast.AST) -> ast.stmt:
        return names.find_statement(self.scopes.parents, node)

    def find_function(self, node: ast.AST) -> ast.AST:
        for above in self.scopes.walk_above(node):
            if isinstance(above, (ast.FunctionDef, ast.Module)):
                return above
        return self.tree

    def find_suite(self, statement: ast.stmt) -> list[ast.stmt]:
        suite = names.find_suite(self.scopes.parents[statement], statement)
        if suite is None:
            raise Unclear
        return suite

    def indent(self, statement: ast.stmt) -> str:
        return self.text.lines[statement.lineno - 1][: statement.col_offset]

    def choose_free_name(self, wish: str, scope: ast.AST) -> str:
        taken = find_plain_names(scope)
        taken |= {a.arg for a in walk_breadth_first(scope) if isinstance(a, ast.arg)}
        taken |= set(self.scopes.module.bindings) | self._named_now
        name, number = wish, 2
        while name in taken:
            name, number = f"{wish}_{number}", number + 1
        self._named_now.add(name)
        return name


NOWHERE = Scope(ast.Module([], []), None)


def feed_argument(call: ast.AST) -> ast.expr | None:
    """Returns the `feed_dict` of a session's run call; None for other nodes."""
    if not _runs(call):
        return None
    assert isinstance(call, ast.Call)
    return names.find_argument(call, "feed_dict", 1)


def find_fetches(call: ast.AST) -> ast.expr | None:
    """Returns the `fetches` of a session's run call; None for other nodes."""
    if not _runs(call):
        return None
    assert isinstance(call, ast.Call)
    return names.find_argument(call, "fetches", 0)


def _runs(call: ast.AST) -> bool:
    return (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "run"
        and bool(call.args or call.keywords)
    )


def list_pairs(value: ast.expr) -> tuple[tuple[ast.expr, ast.expr], ...] | None:
    """Keys and values of a dict written out; None if it is not."""
    if isinstance(value, ast.Dict):
        if any(key is None for key in value.keys):
            return None
        return tuple((k, v) for k, v in zip(value.keys, value.values) if k is not None)
    if (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Name)
        and value.func.id == "dict"
        and not value.args
        and not value.keywords
    ):
        return ()
    return None


def is_key(node: ast.expr) -> bool:
    """Whether a placeholder may stand there: a name, an attribute, an item."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Constant) and is_key(node.value)
    return names.find_key(node) is not None


def list_returns(function: ast.FunctionDef) -> list[ast.Return]:
    return [
        n for n in names.walk_scope_of_function(function) if isinstance(n, ast.Return)
    ]


def walk_scope(scope: Scope) -> Iterator[ast.AST]:
    """Nodes of a function, a lambda or the module, nested functions included."""
    body = getattr(scope.node, "body", [])
    for part in body if isinstance(body, list) else [body]:
        yield from _walk_in_order(part)


def _walk_in_order(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for child in list_children(node):
        yield from _walk_in_order(child)


def flatten_expression(text: Text, value: ast.expr) -> str:
    """An expression as one line.

    Raises:
      Unclear: it has comments or strings of several lines.
    """
    segment = text.find_segment(value)
    if "\n" not in segment:
        return segment
    if "#" in segment or find_lines_inside_strings(value):
        raise Unclear
    return " ".join(line.strip() for line in segment.split("\n"))
