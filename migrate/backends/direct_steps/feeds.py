"""Values that a session converted to a placeholder's type, and a function does not.

TensorFlow 1 fed 3.0 to a placeholder of integers as 3, and 1 to one of booleans as True.
So does a written session. A function with a signature takes numbers of NumPy so, but
refuses those of Python.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.backends.direct_steps.program import Program
from migrate.facts.scopes import Scopes

_INTEGERS = frozenset(
    f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
)
_BOOLEANS = frozenset({"bool"})


def takes_as_fed(program: Program) -> bool:
    """Whether no step is given a number of Python that its type does not take.

    That is a float for integers, and an int or a float for booleans.
    """
    for spec, given in _find_given(program):
        type_ = _read_type(spec, program.scopes)
        if type_ in _INTEGERS | _BOOLEANS and _is_float(given, program.scopes):
            return False
        if type_ in _BOOLEANS and _is_int(given, program.scopes):
            return False
    return True


def _find_given(program: Program) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Each spec of a step's signature, with what a run gives for it."""
    for step in program.steps.values():
        for run in step.runs:
            yield from zip(step.decorator.args, run.args[1:], strict=False)


def _read_type(spec: ast.expr, scopes: Scopes) -> str:
    """The name of a spec's type, `int32` of `tf.TensorSpec([], tf.int32)`; or ""."""
    known = _INTEGERS | _BOOLEANS
    if isinstance(spec, ast.Call):
        for part in (*spec.args, *(k.value for k in spec.keywords)):
            symbol = scopes.resolve(part) or ""
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                symbol = f"tf.{part.value}"
            if symbol.startswith("tf.") and symbol[3:] in known:
                return symbol[3:]
    return ""


def _is_int(value: ast.expr, scopes: Scopes) -> bool:
    """`1`, `0 if testing else 1`, `int(training)`, a list with one, or such a name."""
    match value:
        case ast.Constant(value=int() as number):
            return not isinstance(number, bool)
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return any(_is_int(element, scopes) for element in elements)
        case ast.IfExp(body=one, orelse=other):
            return _is_int(one, scopes) or _is_int(other, scopes)
        case ast.Call(func=ast.Name(id="int") as function):
            return scopes.find_scope(function).find_owner("int") is None
        case ast.Name():
            return any(_is_int(bound, scopes) for bound in _find_bound(value, scopes))
    return False


def _is_float(value: ast.expr, scopes: Scopes) -> bool:
    """`3.0`, `total / size`, `float(n)`, a list with one, or a name of such a value."""
    match value:
        case ast.Constant(value=float()):
            return True
        case ast.BinOp(op=ast.Div()):
            return True
        case ast.BinOp(left=left, right=right):
            return _is_float(left, scopes) or _is_float(right, scopes)
        case ast.UnaryOp(operand=operand):
            return _is_float(operand, scopes)
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return any(_is_float(element, scopes) for element in elements)
        case ast.IfExp(body=one, orelse=other):
            return _is_float(one, scopes) or _is_float(other, scopes)
        case ast.Call(func=ast.Name(id="float") as function):
            return scopes.find_scope(function).find_owner("float") is None
        case ast.Name():
            return any(_is_float(bound, scopes) for bound in _find_bound(value, scopes))
    return False


def _find_bound(name: ast.Name, scopes: Scopes) -> Iterator[ast.expr]:
    """What a name is bound to, without other names."""
    owner = scopes.find_scope(name).find_owner(name.id)
    for bound in owner.bindings.get(name.id, []) if owner else []:
        if isinstance(bound, ast.Assign) and not isinstance(bound.value, ast.Name):
            yield bound.value
