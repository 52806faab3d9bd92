"""D167: an array of one element, which has a dimension, is used as a number.

    w = tf.Variable([0.3])
    print("%.2f" % sess.run(w))

Until NumPy 2.4 such an array was a number to `float`, and so to `%`. Now it raises
TypeError. `.item()` is that number in all versions.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.program.code import Code, code, joined
from migrate.rules.mistakes import values
from migrate.rules.mistakes.mistake import Mistake, calls, name_of
from migrate.tables import one_element as table

Shape = tuple[int | None, ...]
_CONVERSION = re.compile(r"%(?:\((\w*)\))?[-#0 +]*(\*|\d+)?(?:\.(\*|\d+))?[hlL]?(.)")
_REASON = "an array of shape [{}] is used as a number here: NumPy 2.4 and later raise TypeError"
_RECIPE = "Write `.item()` behind it, which is the number in all versions of NumPy."


def find(scopes: Scopes) -> Iterator[Mistake]:
    """Values of runs, of one element and at least one dimension, used as numbers."""
    for node in _numbers(scopes):
        shapes = [_shape(scopes, g) for g in _fetched(scopes, node) or ()]
        wrong = [s for s in shapes if s and all(size == 1 for size in s)]
        if not wrong:
            continue
        edits = _edits(scopes, node) if len(wrong) == len(shapes) else ()
        yield Mistake(
            node,
            "D167",
            _REASON.format(", ".join(map(str, wrong[0]))),
            _RECIPE,
            edits,
            kept=True,
        )


def _edits(scopes: Scopes, node: ast.expr) -> tuple[tuple[ast.expr, Code], ...]:
    """`.item()` behind a value; what a run becomes is written anew within what is around it."""
    if not isinstance(node, ast.Call):
        return ((node, code(node, ".item()")),)
    above = scopes.parents[node]
    if isinstance(above, ast.BinOp):
        return ((above, code(above.left, " % ", node, ".item()")),)
    if isinstance(above, ast.Call) and above.args == [node] and not above.keywords:
        return ((above, code(above.func, "(", node, ".item())")),)
    if isinstance(above, ast.Tuple):
        parts = [code(e, ".item()") if e is node else code(e) for e in above.elts]
        return ((above, code("(", joined(", ", parts), ")")),)
    return ()


# -- what is used as a number ----------------------------------------------------------


def _numbers(scopes: Scopes) -> Iterator[ast.expr]:
    """Expressions of which Python asks the number."""
    for node in scopes.walk():
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            text = names.literal(node.left)
            if isinstance(text, str):
                given = (
                    node.right.elts
                    if isinstance(node.right, ast.Tuple)
                    else [node.right]
                )
                yield from _formatted(text, given)
    for call, _ in calls(scopes):
        path = scopes.import_path(call.func)
        builtin = isinstance(call.func, ast.Name) and not path
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        if builtin and name in table.NUMBERS and len(call.args) == 1:
            if scopes.scope_of(call.func).owner(name) is None:
                yield call.args[0]
        elif path.startswith("math."):
            yield from call.args
        elif path.startswith(table.LOGS) and call.args:
            text = names.literal(call.args[0])
            if isinstance(text, str):
                yield from _formatted(text, call.args[1:])


def _formatted(text: str, given: list[ast.expr]) -> Iterator[ast.expr]:
    """Which of the values of a format string it shows as numbers."""
    found = [m for m in _CONVERSION.finditer(text) if m[4] != "%"]
    plain = not any(m[1] or "*" in (m[2], m[3]) for m in found)
    if not plain or len(found) != len(given):
        return
    for conversion, value in zip(found, given):
        if conversion[4] in table.CONVERSIONS and not isinstance(value, ast.Starred):
            yield value


# -- what a run gave ---------------------------------------------------------------------


def _fetched(scopes: Scopes, node: ast.expr) -> list[ast.expr] | None:
    """What of the graph an expression is the value of; None where it is not told."""
    if isinstance(node, ast.Call):
        found = _of_run(scopes, node)
        return [found] if found is not None else None
    if isinstance(node, ast.Subscript):
        index = names.literal(node.slice)
        given = [node.value]
        if isinstance(node.value, ast.Name):
            given = _assigned(scopes, node.value) or []
        parts = [_part(scopes, value, index) for value in given]
        return _all(parts)
    if isinstance(node, ast.Name):
        return _of_name(scopes, node)
    return None


def _of_run(scopes: Scopes, call: ast.Call) -> ast.expr | None:
    """`fetch` of `session.run(fetch)` and of `fetch.eval()`."""
    if not isinstance(call.func, ast.Attribute) or name_of(scopes, call.func):
        return None
    if call.func.attr == "run":
        return names.argument(call, "fetches", 0)
    return call.func.value if call.func.attr == "eval" else None


def _part(scopes: Scopes, value: ast.expr, index: object) -> ast.expr | None:
    """One of the fetches of a run."""
    fetched = _of_run(scopes, value) if isinstance(value, ast.Call) else None
    if isinstance(fetched, (ast.List, ast.Tuple)) and isinstance(index, int):
        if -len(fetched.elts) <= index < len(fetched.elts):
            return fetched.elts[index]
    return None


def _all(found: list[ast.expr | None]) -> list[ast.expr] | None:
    told = [value for value in found if value is not None]
    return told if told and len(told) == len(found) else None


def _assigned(scopes: Scopes, name: ast.Name) -> list[ast.expr] | None:
    """The values that a name is assigned; None where it is bound otherwise."""
    owner = scopes.scope_of(name).owner(name.id)
    bound = owner.bindings.get(name.id, []) if owner is not None else []
    return _all(
        [
            b.value
            if isinstance(b, ast.Assign)
            and [names.key(t) for t in b.targets] == [name.id]
            else None
            for b in bound
        ]
    )


def _of_name(scopes: Scopes, name: ast.Name) -> list[ast.expr] | None:
    """What of the graph a name holds the values of."""
    owner = scopes.scope_of(name).owner(name.id)
    found: list[ast.expr | None] = []
    for bound in owner.bindings.get(name.id, []) if owner is not None else []:
        target = bound.targets[0] if isinstance(bound, ast.Assign) else None
        if not isinstance(bound, ast.Assign) or len(bound.targets) != 1:
            return None
        if isinstance(target, (ast.Tuple, ast.List)):
            places = [n for n, e in enumerate(target.elts) if names.key(e) == name.id]
            if len(places) != 1 or any(isinstance(e, ast.Starred) for e in target.elts):
                return None
            found.append(_part(scopes, bound.value, places[0]))
        elif isinstance(bound.value, (ast.Call, ast.Subscript)):
            found += _fetched(scopes, bound.value) or [None]
        else:
            return None
    return _all(found)


# -- of which shape ------------------------------------------------------------------------


def _shape(scopes: Scopes, node: ast.expr, deep: int = 8) -> Shape | None:
    """The shape of what an expression of the graph gives; None where it is not told."""
    if deep == 0:
        return None
    made = values.single(scopes, node)
    if isinstance(made, ast.UnaryOp):
        return _shape(scopes, made.operand, deep - 1)
    if isinstance(made, ast.BinOp):
        return _together(
            _shape(scopes, made.left, deep - 1), _shape(scopes, made.right, deep - 1)
        )
    if isinstance(made, ast.Call):
        return _of_call(scopes, made, deep)
    return _of_literal(names.literal(made))


def _together(one: Shape | None, other: Shape | None) -> Shape | None:
    """The shape of a sum of the two, where each has no more than one element."""
    if one is None or other is None or {*one, *other} - {1}:
        return None
    return max(one, other, key=len)


def _of_literal(value: object) -> Shape | None:
    if isinstance(value, (int, float)):
        return ()
    if isinstance(value, (list, tuple)) and value:
        inner = _of_literal(value[0])
        return None if inner is None else (len(value), *inner)
    return None


def _of_call(scopes: Scopes, call: ast.Call, deep: int) -> Shape | None:
    path = scopes.import_path(call.func)
    symbol = name_of(scopes, call.func) or path
    if symbol in table.OF_SHAPE:
        given = names.argument(call, *table.OF_SHAPE[symbol])
        if given is not None:
            sizes = names.literal(given)
            return _sizes(sizes) if sizes is not None else None
    if symbol in table.SIZES_APART:
        return _sizes([names.literal(a) for a in call.args])
    if symbol in table.OF_VALUE and call.args:
        return _shape(scopes, call.args[0], deep - 1)
    return None


def _sizes(given: object) -> Shape | None:
    if isinstance(given, int):
        return (given,)
    if isinstance(given, (list, tuple)) and all(isinstance(g, int) for g in given):
        return tuple(given) if math.prod(given) == 1 or len(given) else ()
    return None
