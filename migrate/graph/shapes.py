"""Static shapes: dimensions that are numbers, unknown, or what a host value gives."""

from __future__ import annotations

import math
from collections.abc import Iterable

from migrate.graph.values import Dim

Shape = tuple[Dim, ...]


def is_known(dim: Dim) -> bool:
    """Whether TensorFlow knows the dimension when it builds the graph."""
    return dim is not None


def compute_size(dims: Iterable[Dim]) -> Dim:
    """The product of dimensions; None where one is not a number."""
    numbers: list[int] = []
    for dim in dims:
        if not isinstance(dim, int):
            return None
        numbers.append(dim)
    return math.prod(numbers)


def join(one: Shape | None, other: Shape | None) -> Shape | None:
    """Joins two shapes: a dimension in which they differ is unknown."""
    if one is None or other is None or len(one) != len(other):
        return None
    return tuple(a if a == b else None for a, b in zip(one, other))


def broadcast(one: Shape | None, other: Shape | None) -> Shape | None:
    """The shape of an operation element by element."""
    if one is None or other is None:
        return None
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    padded = (1,) * (len(longer) - len(shorter)) + tuple(shorter)
    return tuple(_choose_wider(a, b) for a, b in zip(longer, padded))


def _choose_wider(a: Dim, b: Dim) -> Dim:
    if a == b:
        return a
    if isinstance(a, int) and a != 1:
        return a
    if isinstance(b, int) and b != 1:
        return b
    if a == 1:
        return b
    if b == 1:
        return a
    # If one of the two is unknown, either may decide, so the result is unknown.
    return None if None in (a, b) else a


def merge(one: Shape | None, other: Shape | None) -> Shape | None:
    """Merges two shapes of one tensor; a dimension is known if one of them knows it."""
    if one is None:
        return other
    if other is None or len(one) != len(other):
        return one
    return tuple(b if a is None else a for a, b in zip(one, other))


def compute_window(
    length: Dim, kernel: Dim, stride: int, padding: str, rate: int = 1
) -> Dim:
    """Computes how many positions a sliding window has along a dimension."""
    if not isinstance(length, int) or not isinstance(kernel, int):
        return None
    if padding.upper() == "SAME":
        return -(-length // stride)
    reach = (kernel - 1) * rate + 1
    return -(-(length - reach + 1) // stride)


def unfold(length: Dim, kernel: int, stride: int, padding: str) -> Dim:
    """Computes the length that a transposed convolution makes of a length."""
    if not isinstance(length, int):
        return None
    grown = length * stride
    return grown if padding.upper() == "SAME" else grown + max(kernel - stride, 0)
