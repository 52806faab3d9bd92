"""A file of a program, and what it imports of the others."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts.scopes import Scopes
from migrate.normalise.text import Text


@dataclasses.dataclass(frozen=True, eq=False)
class Module:
    """One file.

    Attributes:
      path: its real path.
    """

    path: str
    text: Text
    tree: ast.Module
    scopes: Scopes


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
        """What it is called where it is imported; dotted for `import a.b`."""
        return self.alias.asname or self.alias.name
