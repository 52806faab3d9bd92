"""The program that is read, and what of it goes."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.normalise.server_queues.kinds import Kinds
from migrate.normalise.text import Edit, ParsedText, Text
from migrate.source.nodes import walk_breadth_first


class Unclear(Exception):
    """The queue is used for something else, or in a form that is not read.

    Attributes:
      node: where.
      reason: what stands there.
    """

    def __init__(self, node: ast.AST, reason: str) -> None:
        super().__init__(reason)
        self.node = node
        self.reason = reason


class Program(ParsedText):
    """A program and its queues; what is found in it is noted here."""

    def __init__(self, text: Text) -> None:
        super().__init__(text)
        self._kinds = Kinds(self._scopes)
        self._gone: set[ast.stmt] = set()
        self._dissolved: set[ast.With] = set()
        self._joins: dict[ast.stmt, None] = {}
        self._waits: list[ast.stmt] = []
        self._edits: list[Edit] = []
        self._makers = self._kinds.makers
        self._joined = [
            node
            for node in walk_breadth_first(self._tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "join"
        ]

    def _serves(self, node: ast.AST) -> bool:
        """Whether it stands in the branch of parameter servers."""
        inner = node
        for outer in self._scopes.walk_above(node):
            if isinstance(outer, ast.If) and inner in outer.body:
                if self._asks_for_server(outer.test):
                    return True
            inner = outer
        return False

    def _asks_for_server(self, test: ast.expr) -> bool:
        """`job_name == "ps"`, or that and more."""
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            return any(self._asks_for_server(v) for v in test.values)
        return (
            isinstance(test, ast.Compare)
            and len(test.ops) == 1
            and isinstance(test.ops[0], ast.Eq)
            and "ps" in map(names.read_literal, (test.left, test.comparators[0]))
        )

    def _is_about(self, node: ast.AST) -> bool:
        return any(
            self._kinds.classify(n)
            for n in walk_breadth_first(node)
            if isinstance(n, (ast.Name, ast.Attribute, ast.Call))
        )

    def _drop_statement(self, statement: ast.stmt) -> None:
        if not self._text.is_alone(statement):
            raise Unclear(statement, "several statements in one line")
        self._gone.add(statement)

    def _list_calls(self, function: ast.AST) -> list[ast.stmt]:
        calls = [
            node
            for node in walk_breadth_first(self._tree)
            if isinstance(node, ast.Call)
            and self._kinds.find_called_function(node) is function
        ]
        statements = [self._scopes.parents[call] for call in calls]
        if not calls or not all(isinstance(s, ast.Expr) for s in statements):
            raise Unclear(function, "a function that waits is not called by itself")
        return [s for s in statements if isinstance(s, ast.Expr)]

    def _is_lost(self, node: ast.AST) -> bool:
        return any(n in self._gone for n in self._scopes.walk_above(node))

    def _places(self, node: ast.AST) -> bool:
        return (
            isinstance(node, ast.Call)
            and self._scopes.resolve(node.func) == "tf.device"
        )
