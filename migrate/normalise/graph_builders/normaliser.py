"""Rounds of bringing one thing at a time, until nothing is elsewhere."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from migrate.facts import names
from migrate.normalise.calls import update_returns
from migrate.normalise.calls.inliner import NotInlinable
from migrate.normalise.graph_builders import drivers
from migrate.normalise.graph_builders.aggregates import Aggregates
from migrate.normalise.graph_builders.state import Driver, walk_simple_statements
from migrate.normalise.names import tuples
from migrate.normalise.text import Text
from migrate.source.nodes import (
    list_children,
    parse_source,
    walk_breadth_first,
)
from migrate.tables import roles

# More rounds than any program needs; a cycle of calls ends here.
_ROUNDS = 200
_TITLE = re.compile(r"# From [\w./]+\.py:")


class Normaliser(Aggregates):
    """Brings a program to its normal form."""

    def run(self) -> Text | None:
        """The normal form; None if it is the program itself, or there is none."""
        changed = False
        for _ in range(_ROUNDS):
            driver = self._read_driver()
            if driver is None:
                return None
            try:
                new = self._rewrite_driver(driver)
            except NotInlinable:
                return None
            if new is None:
                break
            self._read(new)
            changed = True
        if not changed:
            return None
        self._read(tuples.split_other_names(self._drop_uncalled_definitions()))
        return None if self._escapes() else self.text

    def _read_driver(self) -> Driver | None:
        sessions = self.scopes.list_calls(*roles.SESSIONS)
        if len(sessions) > 1:
            left = [
                s
                for s in sessions
                if not (self._is_in_inlined(s) or self._is_instead(s))
            ]
            sessions = left or sessions
        return drivers.find_driver(self.scopes, sessions)

    def _is_in_inlined(self, node: ast.AST) -> bool:
        """Whether it stands in a function, or a class, that is brought to the driver."""
        while node in self.scopes.parents:
            node = self.scopes.parents[node]
            if (
                isinstance(node, (ast.ClassDef, ast.FunctionDef))
                and self.scopes.parents[node] is self.tree
                and node.name in self.inlined
            ):
                return True
        return False

    def _is_instead(self, session: ast.Call) -> bool:
        """Whether it is opened only if a parameter gives none: `sess or tf.Session()`."""
        match self.scopes.parents[session]:
            case ast.BoolOp(op=ast.Or(), values=[ast.Name(id=given), last]):
                pass
            case ast.IfExp(body=ast.Name(id=given), orelse=last):
                pass
            case _:
                return False
        home = self.scopes.find_scope(session).node
        return (
            last is session
            and isinstance(home, ast.FunctionDef)
            and given in {a.arg for a in (*home.args.args, *home.args.kwonlyargs)}
        )

    def _rewrite_driver(self, driver: Driver) -> Text | None:
        if self.upward and isinstance(driver.node, ast.FunctionDef):
            caller = self._join_caller(driver.node)
            if caller is not None:
                return caller
        for statement in walk_simple_statements(driver.node.body):
            for call in find_calls(statement):
                found = self._read_call(statement, call, driver)
                if found is not None:
                    _, ended, _ = update_returns.move_returns_to_end(
                        found.callee, self.text, self.scopes
                    )
                    if ended is not self.text:
                        return ended
                    return self._inline(found, driver.node)
        return self._dissolve_aggregate(driver.node)

    def _escapes(self) -> bool:
        """Whether an object that has been taken apart is still used as a whole."""
        return any(
            isinstance(node, ast.Name)
            and node.id in self.instances
            and self.scopes.find_scope(node).find_owner(node.id) is None
            for node in walk_breadth_first(self.tree)
        )

    def _drop_uncalled_definitions(self) -> Text:
        """The text without functions and classes of which nothing is called any more."""
        text = self.text
        while True:
            tree = parse_source(text.source)
            gone = [
                s
                for home in walk_breadth_first(tree)
                if isinstance(home, (ast.Module, ast.FunctionDef))
                for s in home.body
                if isinstance(s, (ast.FunctionDef, ast.ClassDef))
                and s.name in self.inlined
                and not _is_named(s, tree)
            ]
            if not gone:
                return text
            node = gone[-1]
            first = min([node.lineno, *[d.lineno for d in node.decorator_list]])
            last = node.end_lineno or node.lineno
            while last < len(text.lines) and not text.lines[last].strip():
                last += 1
            if _TITLE.fullmatch(text.lines[first - 2]):
                first -= 1  # Of the file it came from.
            text = text.splice(first, last, [], [])


def _is_named(definition: ast.FunctionDef | ast.ClassDef, tree: ast.Module) -> bool:
    """Whether code outside of a definition reads its name."""
    inside = set(walk_breadth_first(definition))
    return any(
        isinstance(node, ast.Name)
        and node.id == definition.name
        and isinstance(node.ctx, ast.Load)
        and node not in inside
        for node in walk_breadth_first(tree)
    )


def find_calls(statement: ast.stmt) -> Iterator[ast.Call]:
    """Calls of a statement's own expressions, outermost first."""
    nested = {id(s) for _, suite in names.list_suites(statement) for s in suite}
    stack: list[ast.AST] = [statement]
    while stack:
        node = stack.pop()
        if id(node) in nested:
            continue
        if isinstance(node, ast.Call):
            yield node
        stack.extend(reversed(list_children(node)))
