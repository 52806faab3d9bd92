"""Finds names that a module reads before it binds them, and imports that stand too high.

A module's statements run in their order. This module follows them, and the functions that
they call. A name that is read first and bound later was moved to a wrong place, unless the
original had it so.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator

from migrate import emitted
from migrate.facts.scopes import Scope, Scopes
from migrate.source.nodes import find_plain_names, list_children, walk_breadth_first

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_WRITTEN = frozenset(emitted.find_module(name) for name in emitted.list_names())
_PATH = ("sys.path.append", "sys.path.insert", "sys.path.extend", "sys.path")


def find_early_names(scopes: Scopes) -> dict[str, int]:
    """Returns the names that are read before they are bound, with the first read's line."""
    return _Names(scopes).run()


def find_imports_above_paths(scopes: Scopes) -> Iterator[tuple[str, int]]:
    """Yields written modules that are imported above a change of `sys.path`.

    A module that is used above the change cannot be imported below it.
    """
    imported: dict[str, int] = {}
    for statement in scopes.tree.body:
        bound = _BoundBy(statement).names & _WRITTEN
        if bound:
            imported.update(dict.fromkeys(bound, statement.lineno))
        elif not isinstance(statement, _FUNCTIONS):
            read = find_plain_names(statement)
            if _changes_path(statement, scopes):
                yield from imported.items()
                return
            if read & set(imported):
                return


def _changes_path(statement: ast.stmt, scopes: Scopes) -> bool:
    return any(
        isinstance(node, (ast.Attribute, ast.Name))
        and scopes.import_path(node) in _PATH
        and not isinstance(scopes.parents.get(node), ast.Compare)
        for node in walk_breadth_first(statement)
    )


def find_early_locals(scopes: Scopes) -> dict[tuple[str, str], int]:
    """Returns the early reads of functions' own names: (function, name) -> line.

    A read in a loop may get the value that the round before has bound, if it is not made
    in the first round.
    """
    found: dict[tuple[str, str], int] = {}
    for node, scope in scopes.scope_by_node.items():
        if isinstance(node, _FUNCTIONS[:2]):
            names = _Names(scopes, node.body, _find_own_names(scope))
            for name, line in names.run_function().items():
                found[node.name, name] = line
    return found


def _find_own_names(scope: Scope) -> dict[str, list[ast.AST]]:
    """Returns a function's own names that are not parameters."""
    return {
        name: bound
        for name, bound in scope.bindings.items()
        if name not in scope.outer_names
        and not any(isinstance(at, (ast.arg, ast.arguments)) for at in bound)
    }


class _Names:
    def __init__(
        self,
        scopes: Scopes,
        body: list[ast.stmt] | None = None,
        bindings: dict[str, list[ast.AST]] | None = None,
    ) -> None:
        self._tree = scopes.tree
        self._body = scopes.tree.body if body is None else body
        self._bindings = scopes.module.bindings if bindings is None else bindings
        self._bound: set[str] = set()
        self._found: dict[str, int] = {}
        self._called: set[ast.AST] = set()
        self._open = False

    def run(self) -> dict[str, int]:
        # A name that a function declares global may be bound at any time.
        for node in walk_breadth_first(self._tree):
            if isinstance(node, ast.Global):
                self._bound.update(node.names)
        self._walk_suite(self._body)
        return self._found

    def run_function(self) -> dict[str, int]:
        self._walk_suite(self._body)
        return self._found

    def _walk_suite(self, statements: Iterable[ast.stmt]) -> None:
        for statement in statements:
            if self._open:
                return  # The star may have bound any name.
            self._read(statement)
            if isinstance(statement, ast.ImportFrom):
                self._open = any(alias.name == "*" for alias in statement.names)
            self._bound |= _BoundBy(statement).names
            for part in list_children(statement):
                if isinstance(part, ast.ExceptHandler):
                    if part.name:
                        self._bound.add(part.name)
                    self._walk_suite(part.body)
            if self._body is not self._tree.body and isinstance(statement, _LOOPS):
                self._read_first_round(statement)
                self._bound |= find_plain_names(statement, ast.Store)
            if not isinstance(statement, (*_FUNCTIONS, ast.ClassDef)):
                for name in ("body", "orelse", "finalbody"):
                    self._walk_suite(getattr(statement, name, None) or ())

    def _read_first_round(self, loop: ast.For | ast.AsyncFor | ast.While) -> None:
        """Reads the names of the statements that the first round always runs."""
        before = set(self._bound)
        for statement in loop.body:
            inside = list(walk_breadth_first(statement))
            if isinstance(statement, (ast.Assign, ast.AugAssign, ast.Expr)):
                if not any(isinstance(n, (ast.IfExp, ast.BoolOp)) for n in inside):
                    self._read(statement)
                    if isinstance(statement, ast.AugAssign):
                        self._read_target(statement)
            elif any(isinstance(n, (ast.Continue, ast.Break)) for n in inside):
                break
            self._bound |= find_plain_names(statement, ast.Store)
            self._bound |= _BoundBy(statement).names
        self._bound = before

    def _read_target(self, statement: ast.AugAssign) -> None:
        """Reads the name that a statement such as `total += loss` adds to."""
        target = statement.target
        if isinstance(target, ast.Name) and not (
            target.id in self._bound or target.id not in self._bindings
        ):
            self._found.setdefault(target.id, statement.lineno)

    def _read(self, statement: ast.stmt) -> None:
        """Reads the names of a statement without its suites; of a class, with its suite."""
        whole = isinstance(statement, ast.ClassDef)
        for part in list_children(statement):
            if isinstance(part, ast.ExceptHandler):
                continue
            if whole or not isinstance(part, ast.stmt):
                self._walk_expression(part, statement.lineno)

    def _walk_expression(self, part: ast.AST, line: int) -> None:
        own: set[str] = set()
        todo = [part]
        reads: list[str] = []
        while todo:
            node = todo.pop()
            if isinstance(node, _FUNCTIONS):
                todo += node.args.defaults
                todo += getattr(node, "decorator_list", [])
                continue
            if isinstance(node, ast.Name):
                if isinstance(node.ctx, ast.Load):
                    reads.append(node.id)
                else:
                    own.add(node.id)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                reads += self._find_names_of_function(node.func.id, line)
            todo += list_children(node)
        for name in reads:
            if (
                name not in self._bound
                and name not in own
                and name in self._bindings
                and not hasattr(builtins, name)
            ):
                self._found.setdefault(name, line)

    def _find_names_of_function(self, name: str, line: int) -> Iterator[str]:
        """Yields the module's names that a call of one of its functions reads.

        Args:
          line: of the statement that calls it. A later definition is of another function.
        """
        if name not in self._bound:
            return
        for binding in self._bindings.get(name, ()):
            if isinstance(binding, (ast.FunctionDef, ast.AsyncFunctionDef)):
                if binding in self._called or binding.lineno > line:
                    continue
                self._called.add(binding)
                nodes = list(walk_breadth_first(binding))
                own = {n.arg for n in nodes if isinstance(n, ast.arg)}
                for node in nodes:
                    if isinstance(node, ast.Name) and not isinstance(
                        node.ctx, ast.Load
                    ):
                        own.add(node.id)
                    elif isinstance(node, (*_FUNCTIONS[:2], ast.ClassDef)):
                        own.add(node.name)
                    elif isinstance(node, (ast.Import, ast.ImportFrom)):
                        own |= _BoundBy(node).names
                    elif isinstance(node, ast.ExceptHandler) and node.name:
                        own.add(node.name)
                for node in nodes:
                    if isinstance(node, ast.Name) and node.id not in own:
                        yield node.id
                        yield from self._find_names_of_function(node.id, line)


class _BoundBy:
    """The names that a statement itself binds, also by an import within a `try`."""

    def __init__(self, statement: ast.stmt) -> None:
        self.names: set[str] = set()
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self.names.add(statement.name)
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            for alias in statement.names:
                self.names.add(alias.asname or alias.name.split(".")[0])
        elif isinstance(statement, ast.Try):
            for inner in statement.body:
                if isinstance(inner, (ast.Import, ast.ImportFrom)):
                    self.names |= _BoundBy(inner).names
        else:
            for part in list_children(statement):
                if not isinstance(part, ast.stmt):
                    self.names |= {
                        n.id
                        for n in walk_breadth_first(part)
                        if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
                    }
