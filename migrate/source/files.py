"""The syntax tree of a file of a tree, whether it is a module or a notebook."""

from __future__ import annotations

import ast
import pathlib

from migrate.source import notebook, python
from migrate.source.nodes import parse_or_none


def parse_file(path: pathlib.Path, data: bytes) -> ast.Module | None:
    """Returns the tree of a module, or of a notebook's cells; None if they are no Python 3.

    Args:
      path: says which of both it is.
      data: what the file holds.
    """
    if path.suffix != ".ipynb":
        return parse_or_none(data)
    try:
        return parse_or_none(notebook.read(python.decode(data).text).module)
    except (ValueError, python.Unreadable):
        return None
