"""D167: arrays of rows with different lengths, which NumPy does not make any more.

    np.array([[1], [1, 2]])

Of displays the lengths are known. Of other values nobody knows them. The generator of
batches that text classifiers copy from each other makes an array of what it is given, mostly
`list(zip(x_train, y_train))`. There the code tries first what it did before.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from migrate.facts import names
from migrate.facts.scopes import Scopes, build_scopes
from migrate.findings import Finding, Outcome
from migrate.source.nodes import parse_source

CODE = "D167"
_MAKERS = frozenset({"numpy.array", "numpy.asarray", "numpy.asanyarray"})
_REASON = (
    "The rows have different lengths. NumPy 1.24 and later raise a ValueError here. "
    "Earlier versions made an array of lists"
)
_RECIPE = "Write dtype=object. This gives the array of lists in all versions of NumPy."
_Display = (ast.List, ast.Tuple)
_TRIED = (
    "Rows of different lengths are a ValueError in NumPy 1.24 and later. The program "
    "then makes the array of objects that earlier versions made"
)


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


def find_given(scopes: Scopes) -> Iterator[Finding]:
    """Arrays that generators of batches make of what they are given."""
    for statement in _find_given(scopes):
        line, column = statement.lineno, statement.col_offset + 1
        yield Finding(line, column, CODE, Outcome.REWRITTEN, "numpy.array", _TRIED, "")


def write_attempts(text: str) -> str:
    """Writes `data = np.array(data)` of such generators so that rows may differ."""
    lines = text.split("\n")
    statements = list(_find_given(build_scopes(parse_source(text))))
    for statement in sorted(statements, key=lambda s: -s.lineno):
        at = statement.lineno - 1
        indent, made = lines[at][: statement.col_offset], lines[at].strip()
        call = ast.unparse(statement)
        lines[at : at + 1] = [
            f"{indent}try:",
            f"{indent}    {made}",
            f"{indent}except ValueError:  # The rows have different lengths.",
            f"{indent}    {call[:-1]}, dtype=object)",
        ]
    return "\n".join(lines)


def _find_given(scopes: Scopes) -> Iterator[ast.Assign]:
    """Yields `data = np.array(data)` of a parameter, in a line of its own."""
    for function in scopes.walk():
        if not isinstance(function, ast.FunctionDef):
            continue
        own = list(names.walk_scope_of_function(function))
        if not any(isinstance(n, ast.Yield) for n in own):
            continue
        parameters = {a.arg for a in function.args.args}
        for statement in function.body:
            match statement:
                case ast.Assign(
                    targets=[ast.Name(bound)],
                    value=ast.Call(func=func, args=[ast.Name(given)], keywords=[]),
                ) if bound == given and given in parameters:
                    if scopes.import_path(func) in _MAKERS and _is_alone(
                        statement, function
                    ):
                        yield statement


def _is_alone(statement: ast.stmt, function: ast.FunctionDef) -> bool:
    """Whether no other statement of a function stands in the one line of this."""
    lines = {statement.lineno, statement.end_lineno}
    others = [s for s in function.body if s is not statement]
    header = function.args.args[-1].end_lineno
    return len(lines) == 1 and not lines & {
        header,
        *(s.lineno for s in others),
        *(s.end_lineno for s in others),
    }


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
