"""Values that a session converted to a placeholder's type, and a function does not.

TensorFlow 1 fed 3.0 to a placeholder of integers as 3, and so does a written session.
A function with a signature takes a float of NumPy so, but refuses one of Python.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.backends.direct_steps.program import Program
from migrate.facts.scopes import Scopes

_INTEGERS = frozenset(
    f"tf.{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
)


def takes_as_fed(program: Program) -> bool:
    """Whether no step of integers is given what is written as a float of Python."""
    return not any(
        _is_of_integers(spec, program.scopes) and _is_float(given, program.scopes)
        for spec, given in _find_given(program)
    )


def _find_given(program: Program) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Each spec of a step's signature, with what a run gives for it."""
    for step in program.steps.values():
        for run in step.runs:
            yield from zip(step.decorator.args, run.args[1:], strict=False)


def _is_of_integers(spec: ast.expr, scopes: Scopes) -> bool:
    return any(
        scopes.resolve(part) in _INTEGERS
        for part in (spec.args if isinstance(spec, ast.Call) else ())
    )


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
        case ast.Name(id=name):
            owner = scopes.find_scope(value).find_owner(name)
            return any(
                isinstance(bound, ast.Assign)
                and not isinstance(bound.value, ast.Name)
                and _is_float(bound.value, scopes)
                for bound in (owner.bindings.get(name, []) if owner else [])
            )
    return False
