"""D167: arrays of rows with different lengths, which NumPy does not make any more.

    np.array([[1], [1, 2]])

Only displays are looked at: of another value nobody knows the lengths.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome

CODE = "D167"
_MAKERS = frozenset({"numpy.array", "numpy.asarray", "numpy.asanyarray"})
_REASON = (
    "The rows have different lengths. NumPy 1.24 and later raise a ValueError here. "
    "Earlier versions made an array of lists"
)
_RECIPE = "Write dtype=object. This gives the array of lists in all versions of NumPy."
_Display = (ast.List, ast.Tuple)


def find_ragged(scopes: Scopes) -> Iterator[Finding]:
    """Calls that make such an array of a display."""
    for node in scopes.walk():
        if not isinstance(node, ast.Call) or len(node.args) != 1:
            continue
        if any(k.arg in (None, "dtype") for k in node.keywords):
            continue
        if not isinstance(node.args[0], _Display) or not _is_ragged([node.args[0]]):
            continue
        name = scopes.import_path(node.func)
        if name in _MAKERS:
            line, column = node.lineno, node.col_offset + 1
            yield Finding(line, column, CODE, Outcome.WARNED, name, _REASON, _RECIPE)


def _is_ragged(rows: Sequence[ast.expr]) -> bool:
    """Whether the lengths of rows differ, or those of what they hold."""
    while rows and all(isinstance(row, _Display) for row in rows):
        inner = [row.elts for row in rows if isinstance(row, _Display)]
        if any(isinstance(part, ast.Starred) for parts in inner for part in parts):
            return False
        if len({len(parts) for parts in inner}) > 1:
            return True
        rows = [part for parts in inner for part in parts]
    return any(isinstance(row, _Display) for row in rows) and all(
        isinstance(row, (*_Display, ast.Constant)) for row in rows
    )
