"""The syntax tree of a file's bytes, a notebook's as one module."""

from __future__ import annotations

import ast
import pathlib
import warnings

from migrate.source import notebook, python


def parse_bytes(path: pathlib.Path, data: bytes) -> ast.Module | None:
    """Parses a Python file or a notebook; None if it cannot be read."""
    try:
        text = python.decode(data).text
        if path.suffix == ".ipynb":
            text = notebook.read(text).module
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError, python.Unreadable):
        return None
