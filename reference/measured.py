"""The largest difference that was measured since somebody began to look."""

from __future__ import annotations

import math

_largest: float | None = None


def begin() -> None:
    """Forgets what was measured."""
    global _largest
    _largest = None


def note(difference: float) -> float:
    """Notes a difference that a comparison has found, and returns it.

    Args:
      difference: absolute; infinite or NaN where two things cannot be compared.
    """
    global _largest
    value = float(difference)
    if math.isnan(value):
        value = math.inf
    _largest = value if _largest is None else max(_largest, value)
    return difference


def largest() -> float | None:
    """The largest difference since `begin`; None where nothing was compared."""
    return _largest
