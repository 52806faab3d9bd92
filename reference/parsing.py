"""Parsing in threads.

CPython 3.11 counts the depth of a tree for all threads together: two that parse at once may
get
"SystemError: AST constructor recursion depth mismatch" (github.com/python/cpython/issues/106905).
"""

from __future__ import annotations

import ast
import threading

_ONE_AT_A_TIME = threading.Lock()


def parse(source: str | bytes) -> ast.Module:
    """`ast.parse`, for programs whose threads read source.

    Raises:
      SyntaxError: the source is not Python 3.
    """
    with _ONE_AT_A_TIME:
        return ast.parse(source)
