"""Removes what is empty without the queues: sessions, blocks, loops and functions."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.normalise.server_queues.program import Unclear
from migrate.normalise.server_queues.uses import Uses
from migrate.source.nodes import walk_breadth_first

_SESSIONS = frozenset({"tf.Session", "tf.InteractiveSession"})


class Emptied(Uses):
    """Notes what does nothing any more."""

    def _drop_sessions(self) -> None:
        """Sessions that did nothing but wait or tell."""
        for node in walk_breadth_first(self._tree):
            if isinstance(node, ast.With) and len(node.items) == 1:
                item = node.items[0]
                if self._places(item.context_expr) and self._serves(node):
                    self._dissolved.add(node)  # Of the queue; nothing else is placed.
                    continue
                if not self._opens(item.context_expr):
                    continue
                name = item.optional_vars
                before = [s for s in node.body if self._is_touched(s)]
                if not before:
                    continue
                if isinstance(name, ast.Name) and self._is_still_read(name, node):
                    raise Unclear(node, "its session runs something else too")
                self._dissolved.add(node)
            elif (
                isinstance(node, ast.Assign)
                and self._opens(node.value)
                and isinstance(node.targets[0], ast.Name)
            ):
                name = node.targets[0]
                suite = self._find_suite(node)
                uses = [
                    n
                    for s in suite[suite.index(node) + 1 :]
                    for n in walk_breadth_first(s)
                    if isinstance(n, ast.Name) and n.id == name.id
                ]
                closes = [
                    s
                    for n in uses
                    if isinstance(s := self._find_statement(n), ast.Expr)
                    and self._text.find_segment(s).strip() == f"{name.id}.close()"
                ]
                rest = [n for n in uses if self._find_statement(n) not in closes]
                if rest and all(self._is_lost(n) for n in rest):
                    for statement in (node, *closes):
                        self._drop_statement(statement)

    def _find_suite(self, statement: ast.stmt) -> list[ast.stmt]:
        return names.find_suite(self._scopes.parents[statement], statement) or [
            statement
        ]

    def _opens(self, node: ast.AST) -> bool:
        return (
            isinstance(node, ast.Call) and self._scopes.resolve(node.func) in _SESSIONS
        )

    def _is_touched(self, statement: ast.stmt) -> bool:
        return any(n in self._gone for n in walk_breadth_first(statement))

    def _is_still_read(self, name: ast.Name, block: ast.With) -> bool:
        return any(
            isinstance(n, ast.Name) and n.id == name.id and not self._is_lost(n)
            for s in block.body
            for n in walk_breadth_first(s)
        )

    def _find_statement(self, node: ast.AST) -> ast.AST:
        return next(n for n in self._scopes.walk_above(node) if isinstance(n, ast.stmt))

    def _drop_empty(self) -> None:
        """Removes blocks, loops and functions of which nothing is left."""
        while True:
            before = len(self._gone)
            for node in walk_breadth_first(self._tree):
                if not isinstance(node, ast.stmt) or node in self._gone:
                    continue
                if not isinstance(node, (ast.For, ast.While, ast.With, ast.If)):
                    if isinstance(node, ast.FunctionDef) and self._is_empty(node):
                        for call in self._list_calls(node):
                            self._gone.add(call)
                        self._gone.add(node)
                    continue
                inside = [s for _, suite in names.list_suites(node) for s in suite]
                if all(s in self._gone for s in inside) and self._is_plain(node):
                    self._gone.add(node)
            if len(self._gone) == before:
                return

    def _is_empty(self, function: ast.FunctionDef) -> bool:
        """Whether nothing is left of a function but its docstring."""
        kept = [s for s in function.body if s not in self._gone]
        return (
            len(kept) < len(function.body)
            and all(
                isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant)
                for s in kept
            )
            and bool(self._list_calls(function))
        )

    def _is_plain(self, node: ast.For | ast.While | ast.With | ast.If) -> bool:
        """Whether its head does nothing by itself."""
        if isinstance(node, ast.With):
            return node in self._dissolved or all(
                isinstance(i.context_expr, ast.Call)
                and (self._scopes.resolve(i.context_expr.func) or "").startswith("tf.")
                and not (self._scopes.resolve(i.context_expr.func) or "").startswith(
                    "tf.train."
                )
                for i in node.items
            )
        head = node.iter if isinstance(node, ast.For) else node.test
        return bool(self._kinds.classify(head)) or not any(
            isinstance(n, ast.Call)
            and names.find_key(n.func) not in ("range", "len", "enumerate", "xrange")
            and not isinstance(n.func, ast.Attribute)
            for n in walk_breadth_first(head)
        )

    def _check_all_gone(self) -> None:
        """Refuses code that still names something removed.

        Raises:
          Unclear: some code does.
        """
        edited = {n for e in self._edits for n in walk_breadth_first(e.node)}
        for node in walk_breadth_first(self._tree):
            if not isinstance(node, (ast.Name, ast.Attribute, ast.Call)):
                continue
            if node in edited or not self._kinds.classify(node) or self._is_lost(node):
                continue
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                continue
            if isinstance(node, ast.Call) and node not in self._makers:
                called = self._kinds.find_called_function(node)
                if called is None or called.name not in self._kinds.functions:
                    continue
            raise Unclear(node, "it is used for something else")
