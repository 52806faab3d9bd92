"""A file of a program, and what it imports of the others."""

from __future__ import annotations

import ast
import dataclasses
import functools
from collections.abc import Iterator

from migrate.facts.scopes import Scopes
from migrate.normalise.text import Text
from migrate.program.binding_time import find_all_names


@dataclasses.dataclass(frozen=True, eq=False)
class Module:
    """One file of a program.

    Attributes:
      path: its real path.
    """

    path: str
    text: Text
    tree: ast.Module
    scopes: Scopes

    def walk(self) -> Iterator[ast.AST]:
        """Yields all nodes of the file, which each program that has it asks for."""
        return self.scopes.walk()

    @functools.cached_property
    def reads(self) -> frozenset[str]:
        """Returns the names that the file reads or binds as plain names."""
        return frozenset(n.id for n in self.walk() if isinstance(n, ast.Name))

    @functools.cached_property
    def names(self) -> frozenset[str]:
        """Returns every name in the file, whatever it is used for."""
        return frozenset(find_all_names(self.tree))

    @functools.cached_property
    def rebound(self) -> frozenset[str]:
        """Returns the module's names that its functions bind anew."""
        return frozenset(
            name
            for node in self.walk()
            if isinstance(node, ast.Global)
            for name in node.names
        )


@dataclasses.dataclass(frozen=True, eq=False)
class Imported:
    """One name of an import statement that reads a file of the tree.

    Attributes:
      target: the file's real path.
      member: what is taken of it, "*" for all; None for the module itself.
    """

    statement: ast.Import | ast.ImportFrom
    alias: ast.alias
    target: str
    member: str | None

    @property
    def name(self) -> str:
        """Returns the name under which it is imported; dotted for `import a.b`."""
        return self.alias.asname or self.alias.name
