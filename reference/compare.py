"""Compares named arrays step by step and says where they first part."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from reference import measured

Array = npt.NDArray[np.generic]
Trace = Mapping[str, Array]


@dataclasses.dataclass(frozen=True)
class Divergence:
    """The first difference beyond the tolerance.

    Attributes:
      name: the trace's key.
      what: a sentence: keys, dtype, shape, or step, values and ULPs.
    """

    name: str
    what: str

    def __str__(self) -> str:
        return f"{self.name}: {self.what}"


def ulps(a: Array, b: Array) -> npt.NDArray[np.int64]:
    """Counts the representable numbers between `a` and `b`, elementwise.

    float32 and float64 only, of equal dtype. The bits of an IEEE number, read as a sign
    and a magnitude, count the numbers from zero.
    """
    bits: np.dtype[np.signedinteger[Any]] = np.dtype(f"i{a.dtype.itemsize}")
    largest = 2 ** (8 * bits.itemsize - 1) - 1
    ordered = []
    for values in (a, b):
        # ascontiguousarray makes a scalar one-dimensional: its shape is put back.
        raw = np.ascontiguousarray(values).view(bits).astype(np.int64)
        raw = raw.reshape(np.shape(values))
        magnitude = raw & largest
        ordered.append(np.where(raw < 0, -magnitude, magnitude))
    distance: npt.NDArray[np.int64] = np.abs(ordered[0] - ordered[1])
    return distance


Tolerance = float | Callable[[str], float]


def _allowed(tolerance: Tolerance, name: str) -> float:
    return tolerance(name) if callable(tolerance) else tolerance


def first_divergence(
    expected: Trace, found: Trace, tolerance: Tolerance = 0.0
) -> Divergence | None:
    """Finds the first place where `found` differs from `expected`, or None.

    Every array's first axis is the step; the earliest step of all arrays is named.

    Args:
      tolerance: largest absolute difference of one element, or a function that gives
        it by the trace's key. Never scaled by size.
        NaN differs from everything, itself included: a trace of NaN proves nothing.
    """
    if expected.keys() != found.keys():
        missing = sorted(expected.keys() - found.keys())
        extra = sorted(found.keys() - expected.keys())
        name = (missing + extra)[0]
        return Divergence(name, f"keys differ: missing {missing}, extra {extra}")
    for name in sorted(expected):
        a, b = expected[name], found[name]
        if a.dtype != b.dtype:
            return Divergence(name, f"dtype {b.dtype}, expected {a.dtype}")
        if a.shape != b.shape:
            return Divergence(name, f"shape {b.shape}, expected {a.shape}")
        if not a.size:
            return Divergence(name, "an empty trace proves nothing")
    firsts = []
    for name in sorted(expected):
        a, b = expected[name], found[name]
        difference = np.abs(a.astype(np.float64) - b.astype(np.float64))
        measured.note(float(np.max(difference)))
        wrong = np.argwhere(~(difference <= _allowed(tolerance, name)))
        if len(wrong):
            firsts.append((int(wrong[0][0]), name, tuple(int(i) for i in wrong[0])))
    if not firsts:
        return None
    step, name, place = min(firsts)
    a, b = expected[name][place], found[name][place]
    text = (
        f"step {step}: {b!r}, expected {a!r} (difference {abs(float(b) - float(a)):.3g}"
    )
    if expected[name].dtype.kind == "f":
        distance = ulps(
            np.asarray(expected[name][place]), np.asarray(found[name][place])
        )
        text += f", {int(distance)} ULPs"
    return Divergence(name, f"{text}; allowed {_allowed(tolerance, name):g})")


@dataclasses.dataclass(frozen=True)
class Row:
    """The difference between two traces in one array.

    Attributes:
      name: the trace's key.
      difference: largest absolute difference of one element.
      ulps: that difference in representable numbers; None where the array holds no
        floating-point numbers.
      first: the first step at which any element differs, None if none does.
      steps: how many steps there are.
      allowed: the tolerance.
    """

    name: str
    difference: float
    ulps: int | None
    first: int | None
    steps: int
    allowed: float

    @property
    def within(self) -> bool:
        return self.difference <= self.allowed


def table(expected: Trace, found: Trace, tolerance: Tolerance = 0.0) -> list[Row]:
    """A row per array, of two traces with equal keys, dtypes and shapes."""
    rows = []
    for name in sorted(expected):
        a, b = expected[name], found[name]
        difference = np.abs(a.astype(np.float64) - b.astype(np.float64))
        differing = np.argwhere(~(difference == 0))
        place = np.unravel_index(np.argmax(difference), difference.shape)
        rows.append(
            Row(
                name,
                measured.note(float(np.max(difference))),
                int(ulps(a[place], b[place])) if a.dtype.kind == "f" else None,
                int(differing[0][0]) if len(differing) else None,
                len(a),
                _allowed(tolerance, name),
            )
        )
    return rows


def worst(expected: Trace, found: Trace) -> float:
    """The largest absolute difference of two traces with equal keys and shapes."""
    return max(
        float(
            np.max(np.abs(expected[k].astype(np.float64) - found[k].astype(np.float64)))
        )
        for k in expected
    )
