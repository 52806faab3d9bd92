"""Tensors and variables as Python sees them: conversion, shapes, attributes, methods."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from migrate.evaluate import arrays, containers
from migrate.graph.shapes import Shape
from migrate.graph.values import (
    NONE,
    Array,
    Choice,
    Const,
    Dim,
    Dimension,
    DType,
    Host,
    HostDim,
    Operation,
    Own,
    ShapeValue,
    Symbol,
    Tensor,
    Tuple,
    Unknown,
    Value,
    VariableValue,
)
from migrate.tfmodel import graphs

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine

VARIABLE = "python/ops/variables:RefVariable"
# Numbers of Python's, as TensorFlow converts them.
_NUMBERS = {"float": "float32", "int": "int32"}
_PYTHON = {"float64": "float32", "int64": "int32"}


def is_symbolic(value: Value) -> bool:
    """Whether a value is of the graph, so that operators on it are TensorFlow's."""
    return isinstance(value, (Tensor, VariableValue)) or is_sparse(value)


def is_sparse(value: Value) -> bool:
    return isinstance(value, Tuple) and value.kind == "SparseTensor"


def about(m: Machine, value: Value) -> Array:
    """The shape and type of the tensor that a value is converted to."""
    value = m.resolve(value)
    if isinstance(value, (Tensor, VariableValue)):
        return Array(value.shape, value.dtype)
    if isinstance(value, Choice):
        from migrate.graph import shapes

        one, other = about(m, value.yes), about(m, value.no)
        return Array(
            shapes.join(one.shape, other.shape),
            one.dtype if one.dtype == other.dtype else None,
        )
    if isinstance(value, Host):
        found = value.array or Array()
        if found.dtype in _NUMBERS:
            return Array(found.shape, _NUMBERS[found.dtype])
        return found
    if isinstance(value, (ShapeValue, Dimension)):
        dims = value.dims if isinstance(value, ShapeValue) else ()
        count: Shape | None = (
            (len(dims),) if isinstance(value, ShapeValue) and dims is not None else ()
        )
        return Array(count, "int32")
    if is_sparse(value):
        assert isinstance(value, Tuple)
        return Array(None, about(m, value.items[1]).dtype)
    items = containers.list_elements(m, value)
    if items is not None and not isinstance(value, Const):
        parts = [about(m, item) for item in items]
        dtypes = {p.dtype for p in parts if p.dtype is not None}
        firm = {about(m, i).dtype for i in items if is_symbolic(i)} - {None}
        dtype = firm.pop() if len(firm) == 1 else _widest(dtypes)
        shape = parts[0].shape if parts else ()
        same = all(p.shape == shape for p in parts)
        return Array(
            (len(items), *shape) if same and shape is not None else None, dtype
        )
    literal = arrays.make_array_of_literal(m, value)
    if literal is None:
        return Array()
    dtype = literal.dtype
    return Array(
        literal.shape, _PYTHON.get(dtype, dtype) if dtype is not None else None
    )


def _widest(found: set[str]) -> str | None:
    for kind in ("string", "float32", "int32", "bool"):
        if kind in found:
            return kind
    return next(iter(found), None) if len(found) == 1 else None


# -- shapes --


def shape_argument(m: Machine, value: Value) -> Shape | None:
    """Dimensions that an argument says."""
    value = m.resolve(value)
    if value == NONE or isinstance(value, (Unknown, Choice)):
        return None
    if isinstance(value, ShapeValue):
        return value.dims
    if isinstance(value, Const) and isinstance(value.value, int):
        return (value.value,)
    if isinstance(value, Dimension):
        return (value.value,)
    if isinstance(value, Tensor):
        return _of_shape_tensor(m, value)
    items = containers.list_elements(m, value)
    if items is None:
        if isinstance(value, Host):
            # A host may be one dimension or a sequence of them.
            shape = value.array.shape if value.array is not None else None
            if shape is not None and not shape:
                return (HostDim(value),)
        return None
    return tuple(dimension_argument(m, item) for item in items)


def dimension_argument(m: Machine, value: Value) -> Dim:
    """One dimension that an argument says."""
    value = m.resolve(value)
    if isinstance(value, Dimension):
        return value.value
    if isinstance(value, Const) and isinstance(value.value, (int, float)):
        return int(value.value) if 0 <= value.value < math.inf else None
    if isinstance(value, Host):
        return HostDim(value)
    if isinstance(value, Tensor):
        found = constant_of(m, value)
        return found if isinstance(found, int) and found >= 0 else None
    return None


def shape_value(m: Machine, shape: Shape | None) -> Value:
    """A shape as TensorFlow gives it to functions of the program."""
    if shape is None:
        return m.make_unknown("a shape")
    return containers.make_list(m, [containers.make_dimension(d) for d in shape])


def _of_shape_tensor(m: Machine, value: Tensor) -> Shape | None:
    """The dimensions that a tensor of dimensions has, where it is made of known ones."""
    node = m.record.nodes[value.node]
    if node.symbol == "tf.shape":
        return about(m, node.given.get("input", NONE)).shape
    if node.symbol in ("tf.constant", "tf.convert_to_tensor"):
        return shape_argument(m, node.given.get("value", NONE))
    if node.symbol == "tf.stack":
        return shape_argument(m, node.given.get("values", NONE))
    if node.symbol == "tf.concat":
        parts = containers.list_elements(m, node.given.get("values", NONE)) or []
        shapes = [shape_argument(m, p) for p in parts]
        if shapes and all(s is not None for s in shapes):
            return tuple(d for s in shapes if s is not None for d in s)
    count = value.shape[0] if value.shape else None
    return (None,) * count if isinstance(count, int) else None


def constant_of(m: Machine, value: Value) -> object:
    """The number that a tensor always is; None where it is not known."""
    value = m.resolve(value)
    if isinstance(value, Const):
        return value.value
    if isinstance(value, Tensor):
        node = m.record.nodes[value.node]
        if node.symbol == "tf.constant":
            return constant_of(m, node.given.get("value", NONE))
        if node.symbol == "operator:getitem":
            base, index = (
                node.given.get("tensor", NONE),
                node.given.get("slice_spec", NONE),
            )
            if isinstance(base, Tensor) and isinstance(index, Const):
                shape = _of_shape_tensor(m, base)
                if shape is not None and isinstance(index.value, int):
                    if -len(shape) <= index.value < len(shape):
                        return shape[index.value]
    return None


# -- attributes and methods --


def attribute(m: Machine, value: Value, name: str) -> Value | None:
    """An attribute of a tensor, a variable, an operation, a shape or a type."""
    if isinstance(value, (Tensor, VariableValue)):
        return _of_tensor(m, value, name)
    if isinstance(value, Operation):
        return _of_operation(m, value, name)
    if isinstance(value, Own) and value.name == "op":
        # A variable's operation has the variable's name.
        holder = value.receiver
        if isinstance(holder, VariableValue) and holder.name and name == "name":
            return Const(holder.name)
        return None
    if isinstance(value, DType):
        return _of_dtype(m, value, name)
    if isinstance(value, ShapeValue):
        return _of_shape(m, value, name)
    if isinstance(value, Dimension) and name == "value":
        return containers.make_dimension(value.value)
    return None


def _of_tensor(m: Machine, value: Tensor | VariableValue, name: str) -> Value:
    if name == "name":
        if value.name is None:
            return m.make_unknown("the name of a tensor")
        return Const(
            value.name + ":0" if isinstance(value, VariableValue) else value.name
        )
    if name == "shape":
        return ShapeValue(value.shape)
    if name in ("dtype",):
        return (
            DType(value.dtype)
            if value.dtype is not None
            else m.make_unknown("a tensor's type")
        )
    if name == "op":
        if isinstance(value, VariableValue):
            return Own(value, "op")
        operation = value.name.rpartition(":")[0] if value.name is not None else None
        return Operation(value.node, operation, value.graph)
    if name == "graph":
        from migrate.tfmodel import sessions

        return sessions.graph_object(m, value.graph)
    if name == "device":
        return (
            Const(m.record.nodes[value.node].device)
            if isinstance(value, Tensor)
            else Const("")
        )
    if name in ("initializer", "initial_value") and isinstance(value, VariableValue):
        return _of_variable(m, value, name)
    return Own(value, name)


def _of_variable(m: Machine, value: VariableValue, name: str) -> Value:
    if name == "initial_value":
        found = m.record.variables[value.number].initial.value
        if isinstance(found, Tensor):
            return found
    label = f"{VARIABLE}.{name}"
    node = graphs.add(m, label, f"variable.{name}", {"self": value}, (value,))
    if name == "initializer":
        whole = None if value.name is None else f"{value.name}/Assign"
        return Operation(node, whole, value.graph)
    return Tensor(node, "0", value.dtype, value.shape, None, value.graph)


def _of_operation(m: Machine, value: Operation, name: str) -> Value:
    if name == "name":
        return (
            Const(value.name)
            if value.name is not None
            else m.make_unknown("an operation's name")
        )
    if name == "type":
        return m.make_unknown("an operation's type")
    if name == "graph":
        from migrate.tfmodel import sessions

        return sessions.graph_object(m, value.graph)
    if name == "outputs":
        return m.make_unknown("an operation's outputs")
    return Own(value, name)


def _of_dtype(m: Machine, value: DType, name: str) -> Value:
    if name == "name":
        return Const(value.name)
    if name in ("base_dtype", "real_dtype", "as_numpy_dtype", "type"):
        return value
    floating = value.name.startswith(("float", "bfloat"))
    if name == "is_floating":
        return Const(floating)
    if name == "is_integer":
        return Const(value.name.startswith(("int", "uint")))
    if name == "size":
        digits = "".join(c for c in value.name if c.isdigit())
        return Const(int(digits) // 8) if digits else Const(1)
    return Own(value, name)


def _of_shape(m: Machine, value: ShapeValue, name: str) -> Value:
    if name in ("ndims", "rank"):
        return NONE if value.dims is None else Const(len(value.dims))
    if name == "dims":
        if value.dims is None:
            return NONE
        return containers.make_list(m, [Dimension(d) for d in value.dims])
    return Own(value, name)


def call_shape_method(
    m: Machine, value: ShapeValue, name: str, given: list[Value]
) -> Value:
    """`shape.as_list()` and its like."""
    dims = value.dims
    if name == "as_list":
        if dims is None:
            return m.make_unknown("a list of dimensions whose number is not known")
        return containers.make_list(m, [containers.make_dimension(d) for d in dims])
    if name == "num_elements":
        from migrate.graph import shapes

        if dims is None or None in dims:
            return NONE
        whole = shapes.compute_size(dims)
        if isinstance(whole, int):
            return Const(whole)
        return m.hosts.make(
            "product", *(containers.make_dimension(d) for d in dims), what="a product"
        )
    if name == "is_fully_defined":
        return Const(dims is not None and None not in dims)
    if name == "with_rank":
        return value
    if name in ("concatenate", "merge_with", "with_rank_at_least"):
        if name == "concatenate" and given:
            more = shape_argument(m, given[0])
            return ShapeValue(None if dims is None or more is None else (*dims, *more))
        return value
    if name in (
        "assert_has_rank",
        "assert_is_compatible_with",
        "assert_is_fully_defined",
    ):
        return NONE
    if name == "is_compatible_with":
        return Const(True)
    return m.make_unknown(f"`.{name}` of a shape")


def is_instance(m: Machine, value: Value, symbol: Symbol) -> bool | None:
    """Whether a value is a tensor, a variable, an operation, a shape, a type."""
    name = symbol.path
    kinds: dict[str, tuple[type, ...]] = {
        "tf.Tensor": (Tensor,),
        "tf.Variable": (VariableValue,),
        "tf.Operation": (Operation,),
        "tf.TensorShape": (ShapeValue,),
        "tf.Dimension": (Dimension,),
        "tf.DType": (DType,),
    }
    if name == "tf.SparseTensor":
        return is_sparse(value)
    if name in kinds:
        return (
            None
            if isinstance(value, (Host, Unknown))
            else isinstance(value, kinds[name])
        )
    return None
