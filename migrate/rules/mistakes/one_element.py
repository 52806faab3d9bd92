"""D167: an array of one element, which has a dimension, is used as a number.

    w = tf.Variable([0.3])
    print("%.2f" % sess.run(w))

Until NumPy 2.4 such an array was a number to `float`, and so to `%`. Now it raises
TypeError. `.item()` is that number in all versions.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.program.code import Code, join_code, make_code
from migrate.rules.mistakes import values
from migrate.rules.mistakes.fetched_values import Fetched, FetchedValues
from migrate.rules.mistakes.mistake import Mistake, find_name, list_calls
from migrate.tables import one_element as table

Shape = tuple[int | None, ...]
_CONVERSION = re.compile(r"%(?:\((\w*)\))?[-#0 +]*(\*|\d+)?(?:\.(\*|\d+))?[hlL]?(.)")
_REASON = (
    "the program uses an array of shape [{}] as a number. NumPy 2.4 and "
    "later raise a TypeError here"
)
_RECIPE = "Write `.item()` behind it. This gives the number in all versions of NumPy."


def find(scopes: Scopes) -> Iterator[Mistake]:
    """Reports values of runs that have dimensions and are used as numbers."""
    wanted, spread = list(_find_numbers(scopes)), list(_spread(scopes))
    if not wanted and not spread:
        return
    runs = FetchedValues(scopes)
    wrong = {node: _judge(scopes, runs.trace_value(node)) for node in wanted}
    certain = {node for node, found in wrong.items() if found is not None and found[1]}
    written: set[ast.expr] = set()
    for node, found in wrong.items():
        if found is None:
            continue
        edits = _make_edits(scopes, node, certain) if node in certain else ()
        done = any(old in written for old, _ in edits)
        written.update(old for old, _ in edits)
        yield _make_mistake(node, found[0], () if done else edits, done)
    for call in spread:
        found = _judge(scopes, runs.find_item_value(call.args[0], None))
        if found is not None:
            each = make_code("tuple(value.item() for value in ", call.args[0], ")")
            yield _make_mistake(call, found[0], ((call, each),) if found[1] else ())


def _judge(scopes: Scopes, found: Fetched) -> tuple[Shape, bool] | None:
    """Returns the shape of an array that is no number, and whether it is certain."""
    shapes = [_find_shape(scopes, part) for part in found.parts]
    # If the program ran, an unknown size there was one.
    of_one = [s for s in shapes if s and all(size in (1, None) for size in s)]
    if not of_one:
        return None
    return of_one[0], found.complete and None not in shapes


def _make_mistake(
    node: ast.expr,
    shape: Shape,
    edits: tuple[tuple[ast.expr, Code], ...],
    done: bool = False,
) -> Mistake:
    shown = ", ".join("?" if size is None else str(size) for size in shape)
    reason = _REASON.format(shown)
    return Mistake(node, "D167", reason, _RECIPE, edits, done=done, kept=True)


def _make_edits(
    scopes: Scopes, node: ast.expr, certain: set[ast.expr]
) -> tuple[tuple[ast.expr, Code], ...]:
    """Returns the edits that write `.item()` behind a value."""
    if isinstance(node, (ast.BinOp, ast.UnaryOp)) and not _has_brackets(scopes, node):
        return ((node, make_code("(", node, ").item()")),)
    if not isinstance(node, ast.Call):
        return ((node, make_code(node, ".item()")),)
    above = scopes.parents[node]
    if isinstance(above, ast.BinOp):
        return ((above, make_code(above.left, " % ", node, ".item()")),)
    if isinstance(above, ast.Call) and above.args == [node] and not above.keywords:
        return ((above, make_code(above.func, "(", node, ".item())")),)
    if isinstance(above, ast.Tuple):
        parts = [
            make_code(e, ".item()")
            if isinstance(e, ast.Call) and e in certain
            else make_code(e)
            for e in above.elts
        ]
        return ((above, make_code("(", join_code(", ", parts), ")")),)
    return ()


def _has_brackets(scopes: Scopes, node: ast.expr) -> bool:
    """Whether an operation needs the brackets around it: `"%f" % (2.0 * w)`."""
    above = scopes.parents[node]
    return (
        isinstance(above, ast.BinOp)
        and above.right is node
        and isinstance(node, ast.BinOp)
        and not isinstance(node.op, ast.Pow)
    )


# -- what is used as a number ----------------------------------------------------------


def _find_numbers(scopes: Scopes) -> Iterator[ast.expr]:
    """Yields expressions that Python uses as numbers."""
    for node in scopes.walk():
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            text = names.read_literal(node.left)
            if isinstance(text, str):
                given = (
                    node.right.elts
                    if isinstance(node.right, ast.Tuple)
                    else [node.right]
                )
                yield from _find_formatted(text, given)
    for call, _ in list_calls(scopes):
        path = scopes.import_path(call.func)
        builtin = isinstance(call.func, ast.Name) and not path
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        if builtin and name in table.NUMBERS and len(call.args) == 1:
            if scopes.find_scope(call.func).find_owner(name) is None:
                yield call.args[0]
        elif path.startswith("math."):
            yield from call.args
        elif path.startswith(table.LOGS) and call.args:
            text = names.read_literal(call.args[0])
            if isinstance(text, str):
                yield from _find_formatted(text, call.args[1:])


def _spread(scopes: Scopes) -> Iterator[ast.Call]:
    """Yields calls `tuple(values)` behind a format that shows only numbers."""
    for node in scopes.walk():
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            text, given = names.read_literal(node.left), node.right
            if isinstance(text, str) and isinstance(given, ast.Call):
                shown = {m[4] for m in _CONVERSION.finditer(text)} - {"%"}
                is_tuple = isinstance(given.func, ast.Name) and given.func.id == "tuple"
                if is_tuple and len(given.args) == 1 and shown <= table.CONVERSIONS:
                    yield given


def _find_formatted(text: str, given: list[ast.expr]) -> Iterator[ast.expr]:
    """Yields the values that a format string shows as numbers."""
    found = [m for m in _CONVERSION.finditer(text) if m[4] != "%"]
    plain = not any(m[1] or "*" in (m[2], m[3]) for m in found)
    if not plain or len(found) != len(given):
        return
    for conversion, value in zip(found, given):
        if conversion[4] in table.CONVERSIONS and not isinstance(value, ast.Starred):
            yield value


# -- of which shape ------------------------------------------------------------------------


def _find_shape(scopes: Scopes, node: ast.expr, deep: int = 8) -> Shape | None:
    """Returns the shape of a value of the graph; None if it is not known."""
    if deep == 0:
        return None
    made = values.find_single(scopes, node)
    if isinstance(made, ast.UnaryOp):
        return _find_shape(scopes, made.operand, deep - 1)
    if isinstance(made, ast.BinOp) and not isinstance(made.op, ast.MatMult):
        return _join_shapes(
            _find_shape(scopes, made.left, deep - 1),
            _find_shape(scopes, made.right, deep - 1),
        )
    if isinstance(made, ast.Call):
        return _find_shape_of_call(scopes, made, deep)
    return _find_shape_of_literal(names.read_literal(made))


def _join_shapes(one: Shape | None, other: Shape | None) -> Shape | None:
    """Returns the shape of a sum of two arrays, if each may have only one element.

    If one shape is unknown, the sum may have more dimensions, but not fewer.
    """
    if {*(one or ()), *(other or ())} - {1, None}:
        return None
    return max(one or (), other or (), key=len) or (
        None if one is None or other is None else ()
    )


def _find_shape_of_literal(value: object) -> Shape | None:
    if isinstance(value, (int, float)):
        return ()
    if isinstance(value, (list, tuple)) and value:
        inner = _find_shape_of_literal(value[0])
        return None if inner is None else (len(value), *inner)
    return None


def _find_shape_of_call(scopes: Scopes, call: ast.Call, deep: int) -> Shape | None:
    path = scopes.import_path(call.func)
    symbol = find_name(scopes, call.func) or path
    if symbol in table.OF_SHAPE:
        given = names.find_argument(call, *table.OF_SHAPE[symbol])
        if given is not None:
            sizes = names.read_literal(given)
            return _read_sizes(sizes) if sizes is not None else None
    if symbol in table.SIZES_APART:
        return _read_sizes([names.read_literal(a) for a in call.args])
    if symbol in table.PRODUCTS and len(call.args) > 1:
        return _multiply_shapes(
            *(_find_shape(scopes, a, deep - 1) for a in call.args[:2])
        )
    if symbol in table.BROADCASTS and len(call.args) > 1:
        return _join_shapes(*(_find_shape(scopes, a, deep - 1) for a in call.args[:2]))
    if symbol in table.OF_VALUE and call.args:
        return _find_shape(scopes, call.args[0], deep - 1)
    return None


def _read_sizes(given: object) -> Shape | None:
    if isinstance(given, int):
        return (given,)
    if isinstance(given, (list, tuple)):
        if all(g is None or isinstance(g, int) for g in given):
            return tuple(given)
    return None


def _multiply_shapes(one: Shape | None, other: Shape | None) -> Shape | None:
    """Returns the shape of a product of matrices."""
    if one is None or other is None or len(one) != 2 or len(other) != 2:
        return None
    return one[0], other[1]
