"""Compares two checkpoints: entries, shapes, types, values."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from reference.tf1_checkpoint.bundle import Bundle, Entry, row_ranges

_AT_ONCE = 64 << 20  # Bytes.


@dataclasses.dataclass(frozen=True)
class Difference:
    """One entry that is not the same in both.

    Attributes:
      what: in a sentence.
      largest: the largest absolute difference, where values differ.
    """

    name: str
    what: str
    largest: float | None = None


def compare(first: Bundle, second: Bundle, tolerance: float) -> Iterator[Difference]:
    """All differences, by name. Values are read some rows at a time."""
    for name in sorted(first.entries.keys() | second.entries.keys()):
        a, b = first.entries.get(name), second.entries.get(name)
        if a is None or b is None:
            missing = "first" if a is None else "second"
            yield Difference(name, f"is not in the {missing}")
        elif a.shape != b.shape:
            yield Difference(name, f"has shape {list(a.shape)} and {list(b.shape)}")
        elif a.dtype != b.dtype:
            yield Difference(name, f"is of {a.dtype} and {b.dtype}")
        elif not a.readable:
            yield Difference(name, f"holds {a.dtype}s, which are not compared")
        else:
            found = _compare_values(first, a, second, b, tolerance)
            if found is not None:
                yield found


def _compare_values(
    first: Bundle, a: Entry, second: Bundle, b: Entry, tolerance: float
) -> Difference | None:
    import numpy as np

    count, largest, bits = 0, 0.0, a.dtype in ("bfloat16",)
    for start, stop in row_ranges(a.shape, a.bytes, _AT_ONCE):
        x, y = first.rows(a, start, stop), second.rows(b, start, stop)
        same = x == y
        if x.dtype.kind in "fc":
            same |= np.isnan(x) & np.isnan(y)
        if bool(same.all()):
            continue
        if x.dtype.kind == "b" or bits:
            distance = (~same).astype(np.float64)
        else:
            wide = np.complex128 if x.dtype.kind == "c" else np.float64
            with np.errstate(invalid="ignore"):
                distance = np.abs(x.astype(wide) - y.astype(wide))
            # An infinity or no number on one side alone is any distance away.
            distance = np.where(
                same, 0.0, np.where(np.isnan(distance), np.inf, distance)
            )
            # Two whole numbers may be apart by less than a float can tell.
            distance = np.where(
                ~same & (distance == 0), np.finfo(np.float64).tiny, distance
            )
        count += int((distance > tolerance).sum())
        largest = max(largest, float(distance.max()))
    if not count:
        return None
    of = "value" if a.size == 1 else f"{count} of {a.size} values"
    verb = "differs" if a.size == 1 else "differ"
    amount = "in their bits" if bits else f"by up to {largest:.3g}"
    return Difference(name=a.name, what=f"{of} {verb} {amount}", largest=largest)
