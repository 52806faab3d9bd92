"""Operators on what build time knows."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from migrate.evaluate import containers, joins, objects
from migrate.evaluate.hosts import describe
from migrate.graph import shapes
from migrate.graph.values import (
    Array,
    Choice,
    Const,
    Dimension,
    DType,
    External,
    Function,
    Host,
    Module,
    Reference,
    ShapeValue,
    Symbol,
    Tuple,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine

_BINARY: dict[type[ast.operator], tuple[str, str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", "add", operator.add),
    ast.Sub: ("-", "sub", operator.sub),
    ast.Mult: ("*", "mul", operator.mul),
    ast.Div: ("/", "truediv", operator.truediv),
    ast.FloorDiv: ("//", "floordiv", operator.floordiv),
    ast.Mod: ("%", "mod", operator.mod),
    ast.Pow: ("**", "pow", operator.pow),
    ast.MatMult: ("@", "matmul", operator.matmul),
    ast.BitAnd: ("&", "and", operator.and_),
    ast.BitOr: ("|", "or", operator.or_),
    ast.BitXor: ("^", "xor", operator.xor),
    ast.LShift: ("<<", "lshift", operator.lshift),
    ast.RShift: (">>", "rshift", operator.rshift),
}
_COMPARE: dict[type[ast.cmpop], tuple[str, str, Callable[[Any, Any], Any]]] = {
    ast.Eq: ("==", "eq", operator.eq),
    ast.NotEq: ("!=", "ne", operator.ne),
    ast.Lt: ("<", "lt", operator.lt),
    ast.LtE: ("<=", "le", operator.le),
    ast.Gt: (">", "gt", operator.gt),
    ast.GtE: (">=", "ge", operator.ge),
}
_LARGEST = 1_000_000


def apply_binary(
    m: Machine, kind: type[ast.operator], left: Value, right: Value
) -> Value:
    """`left + right`."""
    for one in (left, right):
        if isinstance(one, Unknown):
            return one
    if isinstance(left, Choice):
        return joins.map_choices(m, left, lambda v: apply_binary(m, kind, v, right))
    if isinstance(right, Choice):
        return joins.map_choices(m, right, lambda v: apply_binary(m, kind, left, v))
    sign, name, function = _BINARY[kind]
    if kind is ast.Mod and isinstance(left, Const) and isinstance(left.value, str):
        return _format_text(m, left.value, right)
    found = m.library.apply_binary(m, name, left, right)
    if found is not None:
        return found
    left, right = _unwrap_dimension(left), _unwrap_dimension(right)
    if isinstance(left, Const) and isinstance(right, Const):
        return _compute_constants(m, function, sign, left, right)
    found = _compute_sequences(m, kind, left, right)
    if found is not None:
        return found
    special = objects.find_special(m, left, f"__{name}__")
    if special is not None:
        from migrate.evaluate import calls

        return calls.call_value(m, special, [right], {})
    special = objects.find_special(m, right, f"__r{name}__")
    if special is not None:
        from migrate.evaluate import calls

        return calls.call_value(m, special, [left], {})
    what = f"{describe(left)} {sign} {describe(right)}"
    return m.hosts.make(sign, left, right, what=what, array=_find_array(left, right))


def _find_array(left: Value, right: Value) -> Array | None:
    found: list[Array] = []
    for one in (left, right):
        if isinstance(one, Host) and one.array is not None:
            found.append(one.array)
        elif isinstance(one, Const) and isinstance(one.value, (int, float)):
            found.append(Array((), None))
        else:
            return None
    # An array's type goes before a number's of Python's.
    dtypes = [a.dtype for a in found if a.dtype is not None]
    dtypes.sort(key=lambda name: name in ("float", "int"))
    dtype = dtypes[0] if dtypes else None
    return Array(shapes.broadcast(found[0].shape, found[1].shape), dtype)


def _unwrap_dimension(value: Value) -> Value:
    """A dimension as the number it is."""
    if isinstance(value, Dimension):
        return containers.make_dimension(value.value)
    return value


def _compute_constants(
    m: Machine,
    function: Callable[[Any, Any], Any],
    sign: str,
    left: Const,
    right: Const,
) -> Value:
    try:
        if sign in ("*", "**", "<<") and _is_large(left.value, right.value):
            raise ValueError
        return Const(function(left.value, right.value))
    except (TypeError, ValueError, ArithmeticError):
        return m.make_unknown(f"{left.value!r} {sign} {right.value!r}")


def _is_large(left: object, right: object) -> bool:
    for one, other in ((left, right), (right, left)):
        if isinstance(one, (str, bytes)) and isinstance(other, int):
            return len(one) * abs(other) > _LARGEST
    return isinstance(right, int) and isinstance(left, int) and abs(right) > _LARGEST


def _format_text(m: Machine, text: str, right: Value) -> Value:
    try:
        return Const(text % containers.convert_to_python(m, right))
    except (containers.NotConstant, TypeError, ValueError, KeyError):
        return m.hosts.make("%", Const(text), right, what=repr(text))


def _compute_sequences(
    m: Machine, kind: type[ast.operator], left: Value, right: Value
) -> Value | None:
    if kind is ast.Add:
        if isinstance(left, Tuple) and isinstance(right, Tuple):
            return Tuple((*left.items, *right.items))
        if isinstance(left, ShapeValue) or isinstance(right, ShapeValue):
            first, second = (containers.list_elements(m, v) for v in (left, right))
            if first is not None and second is not None:
                dims = [_find_dim(v) for v in (*first, *second)]
                return ShapeValue(tuple(dims))
        if _is_list(left) and _is_list(right):
            assert isinstance(left, Reference) and isinstance(right, Reference)
            one_items, other_items = (
                containers.read_contents(m, left),
                containers.read_contents(m, right),
            )
            if isinstance(one_items, tuple) and isinstance(other_items, tuple):
                return containers.make_list(m, (*one_items, *other_items))
            merged = containers.make_list(m, ())
            for items in (one_items, other_items):
                if isinstance(items, containers.Summary):
                    containers.put(m, merged, items)
            return merged
        if _is_list(left) and isinstance(right, Host):
            return containers.make_list(m, containers.Summary((right,), "items"))
    if kind is ast.Mult:
        for one, count in ((left, right), (right, left)):
            if isinstance(count, Const) and isinstance(count.value, int):
                times = count.value
                if isinstance(one, Tuple):
                    return Tuple(one.items * times)
                if _is_list(one):
                    assert isinstance(one, Reference)
                    items = containers.read_contents(m, one)
                    if isinstance(items, tuple) and len(items) * times <= _LARGEST:
                        return containers.make_list(m, items * times)
            elif _is_list(one) and isinstance(count, Host):
                assert isinstance(one, Reference)
                items = containers.read_contents(m, one)
                known = items if isinstance(items, tuple) else ()
                return containers.make_list(m, containers.Summary(known, "items"))
    if kind in (ast.Sub, ast.BitOr, ast.BitAnd):
        return _compute_sets(m, kind, left, right)
    return None


def _find_dim(value: Value) -> Any:
    if isinstance(value, Dimension):
        return value.value
    return value.value if isinstance(value, Const) else None


def _compute_sets(
    m: Machine, kind: type[ast.operator], left: Value, right: Value
) -> Value | None:
    if not all(isinstance(v, Reference) and v.kind == "set" for v in (left, right)):
        return None
    one, other = containers.list_elements(m, left), containers.list_elements(m, right)
    if one is None or other is None:
        return None
    if kind is ast.Sub:
        return containers.make_set(m, [v for v in one if v not in other])
    if kind is ast.BitAnd:
        return containers.make_set(m, [v for v in one if v in other])
    return containers.make_set(m, [*one, *other])


def _is_list(value: Value) -> bool:
    return isinstance(value, Reference) and value.kind == "list"


_UNARY: dict[str, Callable[[Any], Any]] = {
    "neg": operator.neg,
    "pos": operator.pos,
    "invert": operator.invert,
}


def apply_unary(m: Machine, kind: type[ast.unaryop], operand: Value) -> Value:
    """`-operand`."""
    if isinstance(operand, Unknown):
        return operand
    if isinstance(operand, Choice):
        return joins.map_choices(m, operand, lambda v: apply_unary(m, kind, v))
    name = {ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert"}[kind]
    found = m.library.apply_unary(m, name, operand)
    if found is not None:
        return found
    operand = _unwrap_dimension(operand)
    if isinstance(operand, Const):
        value: Any = operand.value
        try:
            return Const(_UNARY[name](value))
        except TypeError:
            return m.make_unknown(f"{name} of {operand.value!r}")
    array = operand.array if isinstance(operand, Host) else None
    return m.hosts.make(name, operand, what=f"-{describe(operand)}", array=array)


def compare(m: Machine, kind: type[ast.cmpop], left: Value, right: Value) -> Value:
    """`left < right`, `left in right`, `left is right`."""
    for one in (left, right):
        if isinstance(one, Unknown):
            return one
    if isinstance(left, Choice):
        return joins.map_choices(m, left, lambda v: compare(m, kind, v, right))
    if isinstance(right, Choice) and kind not in (ast.In, ast.NotIn):
        return joins.map_choices(m, right, lambda v: compare(m, kind, left, v))
    if kind in (ast.Is, ast.IsNot):
        return _test_identity(m, kind is ast.Is, left, right)
    if kind in (ast.In, ast.NotIn):
        return _test_membership(m, kind is ast.In, left, right)
    sign, name, function = _COMPARE[kind]
    found = m.library.apply_binary(m, name, left, right)
    if found is not None:
        return found
    left, right = _unwrap_dimension(left), _unwrap_dimension(right)
    try:
        one_value, other_value = (
            containers.convert_to_python(m, left),
            containers.convert_to_python(m, right),
        )
    except containers.NotConstant:
        return _compare_others(m, kind, sign, left, right)
    try:
        return Const(bool(function(one_value, other_value)))
    except TypeError:
        return m.make_unknown(f"{one_value!r} {sign} {other_value!r}")


def _compare_others(
    m: Machine, kind: type[ast.cmpop], sign: str, left: Value, right: Value
) -> Value:
    if kind in (ast.Eq, ast.NotEq):
        same = _is_same(m, left, right)
        if same is not None:
            return Const(same is (kind is ast.Eq))
        test = m.hosts.make(
            "==", left, right, what=f"{describe(left)} == {describe(right)}"
        )
        return test if kind is ast.Eq else m.hosts.make_negation(test)
    return m.hosts.make(
        sign, left, right, what=f"{describe(left)} {sign} {describe(right)}"
    )


_KNOWN = (Function, Symbol, External, Module, DType, Reference, Tuple, Const)


def _is_same(m: Machine, left: Value, right: Value) -> bool | None:
    """Whether two values are equal; None where that is not known."""
    if isinstance(left, Host) or isinstance(right, Host):
        return True if left == right and not isinstance(left, Reference) else None
    if isinstance(left, Const) and isinstance(right, Const):
        return bool(left.value == right.value)
    one, other = containers.list_elements(m, left), containers.list_elements(m, right)
    if one is not None and other is not None and type(left) is type(right):
        if len(one) != len(other):
            return False
        found = [_is_same(m, a, b) for a, b in zip(one, other)]
        return False if False in found else None if None in found else True
    if isinstance(left, _KNOWN) and isinstance(right, _KNOWN):
        return left == right
    return None


def _test_identity(m: Machine, positive: bool, left: Value, right: Value) -> Value:
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Host) and not isinstance(other, Host):
            what = f"{describe(one)} is {describe(other)}"
            test = m.hosts.make("is", one, other, what=what)
            return test if positive else m.hosts.make_negation(test)
    if isinstance(left, Host) and left != right:
        return m.hosts.make_fresh("whether two values are one")
    return Const((left == right) is positive)


def _test_membership(m: Machine, positive: bool, left: Value, right: Value) -> Value:
    if isinstance(right, Choice):
        return joins.map_choices(
            m, right, lambda v: _test_membership(m, positive, left, v)
        )
    if isinstance(left, Const) and isinstance(right, Const):
        try:
            container: Any = right.value
            return Const((left.value in container) is positive)
        except TypeError:
            return m.make_unknown("a membership")
    special = objects.find_special(m, right, "__contains__")
    if special is not None:
        from migrate.evaluate import calls

        return calls.call_value(m, special, [left], {})
    items = containers.list_elements(m, right)
    if items is not None:
        found = [_is_same(m, left, item) for item in items]
        if True in found:
            return Const(positive)
        if None not in found:
            return Const(not positive)
    test = m.hosts.make(
        "in", left, right, what=f"{describe(left)} in {describe(right)}"
    )
    return test if positive else m.hosts.make_negation(test)
