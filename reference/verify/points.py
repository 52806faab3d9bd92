"""Compares one value of the two programs at one step."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from reference.compare import ulps
from reference.verify.records import Record
from reference.verify.rows import Records, Row
from reference.verify.series import Point
from reference.verify.tolerance import Allowed

Told = dict[str, Any]


def largest_change(record: Record, points: list[Told]) -> float:
    """Returns the largest change of a value from its first, in any element and step."""
    first, found = None, 0.0
    for told in points:
        value = record.array(told) if "digest" in told else None
        if value is None or not value.size:
            continue
        wide = value.astype(np.float64)
        if first is None:
            first = wide
        elif wide.shape == first.shape:
            found = max(found, float(np.nanmax(np.abs(wide - first))))
    return found


def compare_point(
    row: Row,
    records: Records,
    a: Point,
    b: Point,
    second: Told | None,
    shifted: Told | None,
    allowed: Allowed,
) -> None:
    row.old_at, row.new_at = row.old_at or a.at, row.new_at or b.at
    if "summary" in a.told or "text" in a.told:
        _words(row, a, b, second)
        return
    if a.told["shape"] != b.told["shape"]:
        fail(row, a.step, f"shape {b.told['shape']}, expected {a.told['shape']}")
        return
    if str(a.told["dtype"]) != str(b.told["dtype"]) and row.kind == "variable":
        fail(row, a.step, f"dtype {b.told['dtype']}, expected {a.told['dtype']}")
        return
    row.floats = row.floats or str(a.told["dtype"]).startswith("float")
    one, two = records.first.array(a.told), records.new.array(b.told)
    if one is None or two is None:
        if a.told.get("digest") == b.told.get("digest"):
            row.steps += 1
        else:
            row.unseen += 1
        return
    limit = allowed.at(
        one,
        records.again.array(second) if second and "digest" in second else None,
        records.shifted.array(shifted)
        if shifted and records.shifted and "digest" in shifted
        else None,
        a.step + 1 if row.kind == "variable" or a.told.get("plain") else 0,
    )
    if not row.curve or len(row.curve) < 5000:
        if one.size == 1:
            row.curve.append(
                (a.step, float(one.reshape(-1)[0]), float(two.reshape(-1)[0]))
            )
    if a.told["digest"] == b.told["digest"] and one.dtype == two.dtype:
        if a.told.get("finite", True):
            row.steps += 1
        else:
            row.beyond += 1  # NaN proves nothing.
        return
    wide, other = one.astype(np.float64), two.astype(np.float64)
    with np.errstate(invalid="ignore"):
        difference = np.abs(wide - other)
    same_nan = np.isnan(wide) & np.isnan(other)
    difference = np.where(same_nan | (wide == other), 0.0, difference)
    place = np.unravel_index(
        int(np.argmax(np.nan_to_num(difference, nan=np.inf))), difference.shape
    )
    worst = float(np.nan_to_num(difference[place], nan=np.inf))
    inexact = one.dtype.kind == "f"
    if allowed.is_race() or (not inexact and worst <= allowed.own_race):
        row.beyond += 1
        return
    if inexact and not allowed.tells(limit) and worst <= max(limit, 0.0):
        row.beyond += 1
        return
    row.steps += 1
    if worst >= row.difference:
        row.difference, row.at, row.allowed = worst, a.step, limit
        if inexact and one.dtype == two.dtype:
            row.ulps = int(ulps(np.asarray(one[place]), np.asarray(two[place])))
    if worst > limit:
        text = f"{two[place]!s}, expected {one[place]!s}"
        if len(place):
            text += f" at {list(map(int, place))}"
        if inexact and one.dtype == two.dtype:
            apart = int(ulps(np.asarray(one[place]), np.asarray(two[place])))
            text += f" ({apart} ULPs apart)"
        far = f"difference {worst:.3g}" if np.isfinite(worst) else "not both numbers"
        fail(
            row,
            a.step,
            f"{text}; {far}, allowed {limit:.3g}",
            worst / max(limit, 1e-300),
            worst / max(allowed.largest, 1e-300),
        )


def fail(
    row: Row,
    step: int,
    what: str,
    excess: float = float("inf"),
    share: float = float("inf"),
) -> None:
    if row.first is None:
        row.first, row.what, row.excess, row.share = step, what, excess, share


def _words(row: Row, a: Point, b: Point, second: Told | None) -> None:
    """Text, and summaries' scalars by tag."""
    if "summary" not in a.told:
        row.steps += 1
        if second is not None and second.get("text") != a.told["text"]:
            return  # The original's own is another each time.
        if a.told["text"] != b.told.get("text"):
            fail(row, a.step, f"{b.told.get('text')!r}, expected {a.told['text']!r}")
        return
    old, new = a.told["summary"], b.told.get("summary", {})
    row.steps += 1
    for tag in [t for t in new if t not in old]:
        plain = re.sub(r"_\d+$", "", tag)
        if plain in old and plain not in new:
            new = {**new, plain: new[tag]}
            del new[tag]
            row.notes.add(
                f"summary {plain!r} has the tag {tag!r} in the migrated program"
            )
    for tag in old.keys() | new.keys():
        if tag not in old or tag not in new:
            fail(row, a.step, f"summary {tag!r} is in one program only")
        elif not np.isclose(old[tag], new[tag], rtol=1e-3, atol=1e-6, equal_nan=True):
            again = (second or {}).get("summary", {}).get(tag)
            if again is None or np.isclose(old[tag], again, rtol=1e-6, atol=0):
                fail(row, a.step, f"summary {tag!r}: {new[tag]}, expected {old[tag]}")
