"""A value that comes from code which the tool has not read, and the words for it."""

from __future__ import annotations

import ast
import dataclasses
import os

_RECIPE_FOR_FILES = "Migrate both files in one run: name their directory."


@dataclasses.dataclass(frozen=True)
class Unread:
    """One value whose class the tool does not know.

    Attributes:
      node: what gives it, in the file that was asked about.
      module: where it comes from.
      file: of a module that is there and not part of the run: its path.
      derived: whether it is the base of a class of the program's own.
    """

    node: ast.expr | ast.arg
    module: str
    file: str = ""
    derived: bool = False

    def describe_home(self, path: str) -> str:
        """Returns where the value comes from, for a reason.

        Args:
          path: the file that the finding is of.
        """
        if not self.file:
            return f"`{self.module}`, which the tool has not read"
        file = os.path.relpath(self.file, os.path.dirname(path))
        return f"`{file}`, which is not part of this run"

    def choose_recipe(self, of_library: str) -> str:
        """Returns the recipe for a library, or the one for a file outside of the run."""
        return _RECIPE_FOR_FILES if self.file else of_library
