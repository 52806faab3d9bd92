"""Operators on tensors, and indices: each is a node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from migrate.evaluate import subscripts
from migrate.graph import shapes
from migrate.graph.shapes import Shape
from migrate.graph.values import (
    Choice,
    Const,
    Dim,
    Dimension,
    Host,
    Slice,
    Tensor,
    Tuple,
    Unknown,
    Value,
    VariableValue,
)
from migrate.tfmodel import graphs, tensors

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine

# Python's name -> the name of the operation, and its label where it is no overloaded operator.
_ARITHMETIC = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "truediv": "truediv",
    "floordiv": "floordiv",
    "mod": "mod",
    "pow": "pow",
    "matmul": "matmul",
    "and": "logical_and",
    "or": "logical_or",
    "xor": "logical_xor",
}
_COMPARISONS = {
    "lt": ("Less", "python/ops/gen_math_ops:less"),
    "le": ("LessEqual", "python/ops/gen_math_ops:less_equal"),
    "gt": ("Greater", "python/ops/gen_math_ops:greater"),
    "ge": ("GreaterEqual", "python/ops/gen_math_ops:greater_equal"),
}
_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
_UNARY = {
    "neg": ("Neg", "python/ops/gen_math_ops:neg", "x"),
    "abs": ("Abs", "python/ops/math_ops:abs", "x"),
    "invert": ("LogicalNot", "python/ops/gen_math_ops:logical_not", "x"),
}


def binary(m: Machine, operator: str, left: Value, right: Value) -> Value | None:
    """`left + right`; None where neither is a tensor."""
    one, other = tensors.is_symbolic(left), tensors.is_symbolic(right)
    if not one and not other:
        return None
    for value in (left, right):
        if isinstance(value, Unknown):
            return value
    if operator in ("eq", "ne"):
        # Version 1 compares tensors as objects.
        return Const((left == right) is (operator == "eq"))
    if operator in _COMPARISONS:
        return _comparison(m, operator, left, right, mirrored=not one)
    name = _ARITHMETIC.get(operator)
    if name is None:
        return m.make_unknown(f"the operator {operator} on a tensor")
    given = {"x": left, "y": right}
    label = f"operator:{name}" if one else f"operator:r{name}"
    a, b = tensors.about(m, left), tensors.about(m, right)
    dtype = a.dtype if one else b.dtype
    if operator == "matmul":
        shape = _product(a.shape, b.shape)
    else:
        shape = shapes.broadcast(a.shape, b.shape)
    if (
        operator == "truediv"
        and dtype is not None
        and dtype.startswith(("int", "uint"))
    ):
        dtype = (
            "float32" if dtype in ("int8", "uint8", "int16", "uint16") else "float64"
        )
    if operator in ("and", "or", "xor"):
        dtype = "bool"
    full = _consume(m, left, name)
    node = graphs.add(m, label, f"operator:{operator}", given)
    return Tensor(node, "0", dtype, shape, full, graphs.current(m))


def _consume(m: Machine, left: Value, name: str) -> str | None:
    del left
    whole = graphs.unique(m, name)
    if name in ("logical_xor",):
        return None
    return None if whole is None else f"{whole}:0"


def _product(a: Shape | None, b: Shape | None) -> Shape | None:
    if a is None or b is None or len(a) < 2 or len(b) < 2:
        return None
    return (*a[:-1], b[-1])


def _comparison(
    m: Machine, operator: str, left: Value, right: Value, *, mirrored: bool
) -> Value:
    if mirrored:
        operator, left, right = _MIRRORED[operator], right, left
    name, label = _COMPARISONS[operator]
    a, b = tensors.about(m, left), tensors.about(m, right)
    whole = graphs.unique(m, name)
    node = graphs.add(m, label, f"operator:{operator}", {"x": left, "y": right})
    shape = shapes.broadcast(a.shape, b.shape)
    full = None if whole is None else f"{whole}:0"
    return Tensor(node, "0", "bool", shape, full, graphs.current(m))


def unary(m: Machine, operator: str, operand: Value) -> Value | None:
    """`-x`."""
    if not tensors.is_symbolic(operand):
        return None
    if operator == "pos":
        return operand
    if operator not in _UNARY:
        return m.make_unknown(f"{operator} of a tensor")
    name, label, parameter = _UNARY[operator]
    found = tensors.about(m, operand)
    whole = graphs.unique(m, name)
    node = graphs.add(m, label, f"operator:{operator}", {parameter: operand})
    full = None if whole is None else f"{whole}:0"
    return Tensor(node, "0", found.dtype, found.shape, full, graphs.current(m))


# -- indices --


def get_item(m: Machine, value: Value, index: Value) -> Value | None:
    """`tensor[index]`."""
    if not isinstance(value, (Tensor, VariableValue)):
        return None
    if isinstance(index, (Unknown, Choice)):
        return m.make_unknown("an index of a tensor")
    parts = list(index.items) if isinstance(index, Tuple) else [index]
    whole = graphs.unique(m, "strided_slice")
    if isinstance(index, Tensor) and index.dtype == "bool":
        node = graphs.add(
            m,
            _LABELS[type(value)],
            "operator:getitem",
            _make_slice_arguments(value, index),
        )
        return Tensor(node, "0", value.dtype, None, None, graphs.current(m))
    shape = _infer_indexed_shape(m, value.shape, parts)
    node = graphs.add(
        m, _LABELS[type(value)], "operator:getitem", _make_slice_arguments(value, index)
    )
    full = None if whole is None else f"{whole}:0"
    return Tensor(node, "0", value.dtype, shape, full, graphs.current(m))


_LABELS: dict[type[Value], str] = {
    Tensor: "python/ops/array_ops:_slice_helper",
    VariableValue: "python/ops/array_ops:_SliceHelperVar",
}


def _make_slice_arguments(value: Value, index: Value) -> dict[str, Value]:
    name = "tensor" if isinstance(value, Tensor) else "var"
    return {name: value, "slice_spec": index}


def _infer_indexed_shape(
    m: Machine, shape: Shape | None, parts: list[Value]
) -> Shape | None:
    if shape is None:
        return None
    found: list[Dim] = []
    place = 0
    named = [p for p in parts if p not in (Const(None), Const(...))]
    for part in parts:
        if part == Const(None):
            found.append(1)
            continue
        if part == Const(...):
            skipped = len(shape) - len(named)
            found += shape[place : place + skipped]
            place += skipped
            continue
        if place >= len(shape):
            return None
        if isinstance(part, Slice):
            found.append(_cut(shape[place], part))
        elif not isinstance(part, (Const, Host, Dimension, Tensor)):
            return None
        place += 1
    return (*found, *shape[place:])


def _cut(dim: Dim, part: Slice) -> Dim:
    cut = subscripts.convert_bounds(part)
    if cut is None:
        return None
    if cut == slice(None):
        return dim
    if isinstance(dim, int):
        return len(range(*cut.indices(dim)))
    step = cut.step or 1
    if (
        cut.stop is not None
        and cut.stop >= 0
        and (cut.start or 0) >= 0
        and dim is not None
    ):
        return None
    if cut.start is not None and cut.start < 0 and cut.stop is None:
        return None
    del step
    return None
