"""The values of joined cells that Jupyter displayed: `hist[-1]` becomes `display(hist[-1])`.

Jupyter displays the value of a cell's last expression, but not None. Where the cell's code
now stands inside a block, or above the code of another cell, nothing is displayed by itself.
Calls that may give None stay as they are: `display(None)` would print it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from migrate.source.nodes import walk_breadth_first

_GIVE_VALUES = frozenset(
    ("abs", "all", "any", "bool", "dict", "float", "int", "isinstance", "len", "list")
    + ("max", "min", "repr", "round", "set", "sorted", "str", "sum", "tuple", "type")
)
# Methods of arrays, tables and strings.
_METHODS = frozenset(
    (
        "argmax",
        "argmin",
        "astype",
        "copy",
        "count",
        "describe",
        "dot",
        "flatten",
        "format",
    )
    + ("head", "items", "join", "keys", "max", "mean", "min", "reshape", "round", "std")
    + ("sum", "tail", "tolist", "transpose", "values", "var")
)
_NO_VALUES = (ast.Await, ast.Constant, ast.NamedExpr, ast.Yield, ast.YieldFrom)


def show_values(
    module: str,
    marks: Iterable[tuple[int, int]],
    shown: Mapping[int, ast.expr],
    moved: Mapping[int, int],
) -> tuple[str, frozenset[int]]:
    """The module with `display(...)` around such values, and the cells of these.

    Args:
      marks: 1-based lines of the cells' marks and their indices, from the top.
      shown: what each cell that ends in an expression ended in before.
      moved: cells whose code is in another's now.
    """
    tree = ast.parse(module)
    statements = [n for n in walk_breadth_first(tree) if isinstance(n, ast.stmt)]
    functions = {n.name: n for n in statements if isinstance(n, ast.FunctionDef)}
    places = [*marks, (module.count("\n") + 2, -1)]
    homes = [moved.get(index, index) for _, index in places]
    found = dict[int, ast.expr]()
    for at, ((line, index), (end, _)) in enumerate(zip(places, places[1:])):
        inside = [s for s in statements if line < (s.end_lineno or 0) < end]
        last = max(inside, key=lambda s: (s.end_lineno or 0, s.lineno), default=None)
        if index not in shown or not isinstance(last, ast.Expr) or last.lineno < line:
            continue
        if last.col_offset == 0 and homes[at] not in homes[at + 1 :]:
            continue  # It ends the cell that its code is in.
        if _is_same(shown[index], last.value, functions):
            found[index] = last.value
    lines = module.encode().split(b"\n")
    for value in found.values():
        assert value.end_lineno is not None
        for row, column, text in (
            (value.end_lineno, value.end_col_offset or 0, b")"),
            (value.lineno, value.col_offset, b"display("),
        ):
            old = lines[row - 1]
            lines[row - 1] = old[:column] + text + old[column:]
    return b"\n".join(lines).decode(), frozenset(found)


def _is_same(
    old: ast.expr, new: ast.expr, functions: Mapping[str, ast.FunctionDef]
) -> bool:
    """Whether an expression gives a value, never None, and has become this one."""
    fetched = _find_fetched(old)
    if fetched is not None:
        return fetched == _find_returned(new, functions)
    return ast.dump(old) == ast.dump(new) and _gives_value(old)


def _find_fetched(node: ast.expr) -> str | None:
    """The name whose value a session is asked for; "" for something else."""
    match node:
        case ast.Call(func=ast.Attribute(attr="run"), args=[ast.Name(id=name), *_]):
            return name
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="eval")):
            return name
        case ast.Call(func=ast.Attribute(attr="run" | "eval")):
            return ""
    return None


def _find_returned(
    node: ast.expr, functions: Mapping[str, ast.FunctionDef]
) -> str | None:
    """The name whose value the function returns that a run calls."""
    match node:
        case ast.Call(func=ast.Attribute(attr="run"), args=[ast.Name(id=name), *_]):
            pass
        case _:
            return None
    match functions[name].body[-1] if name in functions else None:
        case ast.Return(value=ast.Name(id=returned)):
            return returned
    return None


def _gives_value(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name in _GIVE_VALUES
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in _METHODS
        case ast.Call():
            return False
    return not isinstance(node, _NO_VALUES)
