"""Whether a value that the evaluator knows is the one that a projection says.

What only a run knows (a host value) agrees with anything that is no tensor; what nobody knows is never
said to agree.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from migrate.graph import values
from migrate.graph.shapes import Shape
from migrate.graph.values import Value
from migrate.tfmodel import names

# A value as `inside/genuine_inside/encode.py` writes it.
Encoded = Any
# Texts are cut there.
_LONGEST = 200
_TENSORS = ("t", "v", "op", "pv")
_CLOSE = 1e-6


class Wrong(Exception):
    """The evaluator says one thing, TensorFlow another."""


class Unsure(Exception):
    """The evaluator says that it does not know."""


def check(
    value: Value, found: Encoded, tensor: Callable[[Value, Encoded], None]
) -> None:
    """Compares a value with an encoded one.

    Args:
      tensor: compares tensors, operations and variables.

    Raises:
      Wrong: they differ.
      Unsure: the value is not known.
    """
    if isinstance(value, values.Unknown):
        raise Unsure(value.reason)
    if isinstance(value, values.Choice):
        raise Unsure("a value that a test decides")
    if isinstance(value, (values.Tensor, values.Operation, values.VariableValue)):
        tensor(value, found)
        return
    kind = found[0] if isinstance(found, list) and found else None
    if isinstance(value, values.Host):
        if kind in _TENSORS:
            raise Wrong(f"{value.what} is a tensor")
        return
    if kind in _TENSORS:
        raise Wrong(f"{_say(value)} is a tensor")
    if isinstance(value, values.Tuple):
        _check_tuple(value, found, tensor)
    elif not _is_same(value, found):
        raise Wrong(f"{_say(value)} is {found}")


def check_shape(shape: Shape | None, found: list[int | None] | None) -> bool:
    """Whether a shape is the one that TensorFlow knows; a host value's dimension is any number."""
    if shape is None or found is None:
        return shape is None and found is None
    return len(shape) == len(found) and all(map(_is_dim, shape, found))


def _is_dim(dim: values.Dim, found: int | None) -> bool:
    if isinstance(dim, values.HostDim):
        return found is not None
    return dim == found


def _check_tuple(
    value: values.Tuple, found: Encoded, tensor: Callable[[Value, Encoded], None]
) -> None:
    if isinstance(found, list) and found[:1] == ["d"] and value.kind == "dict":
        known = {_key(pair): pair for pair in value.items}
        if len(known) != len(found) - 1:
            raise Wrong(f"a dict of {len(known)} has {len(found) - 1}")
        for key, item in found[1:]:
            pair = known.get(str(key)) if isinstance(key, str) else None
            if isinstance(pair, values.Tuple):
                check(pair.items[1], item, tensor)
            elif isinstance(key, str) and None not in known:
                raise Wrong(f"a dict without the key {key}")
        return
    if isinstance(found, list) and found[:1] == ["shape"]:
        found = ["l", *(found[1] or ())]
    if isinstance(found, list) and found[:1] == ["array"]:
        if found[3] is None or len(found[2]) != 1:
            return
        found = ["l", *found[3]]
    if not (isinstance(found, list) and found[:1] == ["l"]):
        if isinstance(found, list) and found[:1] == ["o"]:
            return  # An object that TensorFlow made of it.
        raise Wrong(f"a sequence is {found}")
    if len(found) - 1 != len(value.items) and len(found) - 1 != _LONGEST:
        raise Wrong(f"a sequence of {len(value.items)} has {len(found) - 1}")
    for one, other in zip(value.items, found[1:]):
        check(one, other, tensor)


def _key(pair: Value) -> str | None:
    if isinstance(pair, values.Tuple) and isinstance(pair.items[0], values.Const):
        return str(pair.items[0].value)
    return None


def _is_same(value: Value, found: Encoded) -> bool:
    kind = found[0] if isinstance(found, list) and found else None
    if isinstance(value, values.Const):
        return _is_constant(value.value, found)
    if isinstance(value, values.DType):
        return found in (["dtype", value.name], value.name)
    if isinstance(value, values.ShapeValue):
        return kind in ("shape", "l") and check_shape(
            value.dims, found[1] if kind == "shape" else found[1:]
        )
    if isinstance(value, values.Dimension):
        return _is_dim(value.value, found)
    if isinstance(value, values.Symbol) and kind == "f":
        known = names.look_up(value.path)
        label = known.label.rpartition(":")[2] if known is not None else ""
        return found[1] in (label, value.path.rpartition(".")[2])
    # Objects and functions of the program: a projection says no more than that it is one.
    return kind in ("f", "o", "d", "l")


def _is_constant(value: object, found: Encoded) -> bool:
    if isinstance(found, list) and found[:1] == ["array"]:
        # TensorFlow was given an array where the program writes a number.
        return found[2] != [] or found[3] is None or _is_constant(value, found[3][0])
    if isinstance(value, bytes):
        return bool(found == ["b", value.decode("utf-8", "replace")[:_LONGEST]])
    if isinstance(value, str):
        return found in (value[:_LONGEST], ["dtype", value])
    if isinstance(value, (bool, int)) or value is None:
        return bool(found == value)
    if isinstance(value, float):
        if value != value:
            return bool(found == ["o", "nan"])
        if isinstance(found, (int, float)):
            return math.isclose(value, found, rel_tol=_CLOSE, abs_tol=1e-12)
        return False
    return True


def _say(value: Value) -> str:
    return (
        repr(value.value) if isinstance(value, values.Const) else type(value).__name__
    )
