"""Keeps the text of a program, and its names, while code moves to the driver."""

from __future__ import annotations

import ast
import builtins
import dataclasses
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import build_scopes
from migrate.normalise.calls.inliner import Instance, NotInlinable
from migrate.normalise.text import Text
from migrate.source.nodes import parse_source, walk_breadth_first


class State:
    """The text so far, and what was brought.

    Args:
      upward: whether the driver is brought to its caller.
      parts: whether functions that give several tensors are brought, so that a run
        computes one of these alone.
    """

    def __init__(self, source: str, upward: bool, parts: bool = False) -> None:
        self._read(Text.read_source(source))
        self.upward, self.parts = upward, parts
        self.instances: dict[str, Instance] = {}
        self.inlined: set[str] = set()
        self.aggregates: set[str] = set()
        self.brought: list[tuple[str, int]] = []

    def _read(self, text: Text) -> None:
        """Takes a text as what the program is now."""
        self.text = text
        self.tree = parse_source(text.source)
        self.scopes = build_scopes(self.tree)

    def _find_definition(self, node: ast.Name) -> ast.AST | None:
        owner = self.scopes.find_scope(node).find_owner(node.id)
        bindings = owner.bindings.get(node.id, []) if owner is not None else []
        return bindings[0] if len(bindings) == 1 else None

    def _find_class(self, instance: Instance) -> ast.ClassDef:
        for statement in self.tree.body:
            if isinstance(statement, ast.ClassDef) and statement.name == instance.owner:
                return statement
        raise NotInlinable("a class within another block")

    def _find_method(self, owner: ast.ClassDef, name: str) -> ast.FunctionDef | None:
        found = [
            m for m in owner.body if isinstance(m, ast.FunctionDef) and m.name == name
        ]
        return found[0] if len(found) == 1 else None

    def _find_names(self, driver: ast.AST) -> set[str]:
        """Names that mean something in the driver, also attributes that are set later."""
        found = set(dir(builtins)) | set(self.scopes.module.bindings)
        for instance in self.instances.values():
            found.update(instance.attributes.values())
        for node in walk_breadth_first(driver):
            if isinstance(node, ast.Name):
                found.add(node.id)
            elif isinstance(node, ast.arg):
                found.add(node.arg)
        return found

    def _find_bound_names(self, driver: ast.FunctionDef | ast.Module) -> frozenset[str]:
        if isinstance(driver, ast.Module):
            return frozenset()
        return frozenset(self.scopes.scope_by_node[driver].bindings)


@dataclasses.dataclass(frozen=True, eq=False)
class Driver:
    """The function, or module, that opens the session, or calls all that open one.

    Attributes:
      session_names: what the sessions that it opens itself are called.
    """

    node: ast.FunctionDef | ast.Module
    session_names: frozenset[str | None]


def walk_simple_statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements in order, nested suites included, definitions not entered."""
    for statement in body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            continue
        yield statement
        for _, suite in names.list_suites(statement):
            yield from walk_simple_statements(suite)
