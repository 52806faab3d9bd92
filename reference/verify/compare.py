"""Compares the record of the original with that of its migration, value by value."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import numpy as np

from reference.compare import ulps
from reference.verify import pairing, series
from reference.verify.records import Event, Record
from reference.verify.series import Point, Series
from reference.verify.tolerance import Allowed

Told = dict[str, Any]

# Counters that TensorFlow 1 kept for its own ends, and tf.distribute does not need.
NO_COUNTERPART = {
    "sync_rep_local_step": "SyncReplicasOptimizer's own counter of a worker's steps",
}


@dataclasses.dataclass
class Row:
    """How far one value of the two programs is apart.

    Attributes:
      kind, name: of the series.
      steps: how many of its points were compared.
      beyond: how many were not: rounding alone could move them as far as training did.
      unseen: how many were not kept, and are known to differ in some bit.
      difference, at, allowed, ulps: the largest difference against what was allowed then,
        its step, what was allowed there, and it in representable numbers.
      first: the first point that is wrong; a sentence in `what`.
      old_at, new_at: the lines of the two programs.
      curve: of a scalar: (step, old, new) of every point.
    """

    kind: str
    name: str
    steps: int = 0
    beyond: int = 0
    unseen: int = 0
    difference: float = 0.0
    at: int | None = None
    allowed: float = 0.0
    ulps: int | None = None
    first: int | None = None
    what: str = ""
    excess: float = 0.0
    old_at: str = ""
    new_at: str = ""
    curve: list[tuple[int, float, float]] = dataclasses.field(default_factory=list)
    floats: bool = False
    trainable: bool = False
    notes: set[str] = dataclasses.field(default_factory=set)

    @property
    def wrong(self) -> bool:
        return self.first is not None


@dataclasses.dataclass
class Records:
    """What there is to compare.

    Attributes:
      first, second: two runs of the original.
      shifted: one with initial values moved by one ULP; None where it was not needed.
      new: the migrated program's.
    """

    first: Record
    second: Record
    new: Record
    shifted: Record | None = None


@dataclasses.dataclass
class Comparison:
    """All rows, and what had no counterpart.

    Attributes:
      rows: a row per value.
      old_only, new_only: values without a counterpart: sentences.
      steps: (of the original, of the migrated program).
    """

    rows: list[Row]
    old_only: list[str]
    new_only: list[str]
    steps: tuple[int, int]

    @property
    def wrong(self) -> list[Row]:
        """Rows that differ, the first to do so first.

        Of several, trained variables come before slots, and what differs most first.
        """
        order = {"fetch": 0, "read": 1}
        return sorted(
            (row for row in self.rows if row.wrong),
            key=lambda r: (
                *(r.first, order.get(r.kind, 2), not r.trainable, -r.excess, r.name),
            ),
        )


def aligned(records: Records) -> Records:
    """The records with steps that belong to each other.

    `sess.run(w.assign(value))` is a run of the original; its migration may assign without
    one. Where the programs do not give values in the same places, those steps are left
    out on both sides: what they have given is seen in the next one's variables.
    """
    old, new = records.first.steps, records.new.steps
    marks = [[bool(e.get("sets")) for e in steps] for steps in (old, new)]
    common = min(map(len, marks))
    if marks[0][:common] == marks[1][:common] or any(map(all, marks)):
        return records
    return Records(
        records.first.without_sets(),
        records.second.without_sets(),
        records.new.without_sets(),
        records.shifted and records.shifted.without_sets(),
    )


def compare_workers(records: Records, workers: int) -> Comparison:
    """Compares what every worker computes, at its own steps."""
    whole = compare(records)
    for worker in range(1, workers):
        one = compare(
            Records(
                records.first.of_worker(worker),
                records.second.of_worker(worker),
                records.new.of_worker(worker),
                records.shifted and records.shifted.of_worker(worker),
            )
        )
        for row in one.rows:
            row.name += f" (worker {worker})"
        whole.rows += one.rows
        for here, there in (
            (whole.old_only, one.old_only),
            (whole.new_only, one.new_only),
        ):
            here += [f"{text} (worker {worker})" for text in there]
        old, new = one.steps
        whole.steps = whole.steps[0] + old, whole.steps[1] + new
    return whole


def compare(records: Records) -> Comparison:
    """Compares every value of the two programs."""
    records = aligned(records)
    rows: list[Row] = []
    old_only: list[str] = []
    new_only: list[str] = []
    told = records.first.variables()
    news = records.new.variables()
    for part in (_variables, _results):
        rows += part(records, old_only, new_only)
    rows += _fetches(records, old_only, new_only)
    for row in rows:
        if row.kind == "variable":
            row.old_at = told.get(row.name, {}).get("at") or row.old_at
            row.new_at = news.get(row.name, {}).get("at") or row.new_at
            row.trainable = bool(told.get(row.name, {}).get("trainable"))
    for row in rows:
        old_only += sorted(row.notes)
    steps = len(records.first.steps), len(records.new.steps)
    if all((r.end or {})["reason"] == "enough" for r in (records.first, records.new)):
        steps = min(steps), min(steps)  # They were stopped.
    return Comparison(rows, old_only, new_only, steps)


def _variables(records: Records, old_only: list[str], new_only: list[str]) -> list[Row]:
    return _same_keys(records, series.variables, old_only, new_only)


def _results(records: Records, old_only: list[str], new_only: list[str]) -> list[Row]:
    return _same_keys(records, series.results, old_only, new_only)


def _same_keys(
    records: Records, of: Any, old_only: list[str], new_only: list[str]
) -> list[Row]:
    old, new = of(records.first), of(records.new)
    second = of(records.second)
    shifted = of(records.shifted) if records.shifted else {}
    rows = []
    for key, other in _renamed(old, new).items():
        new[key] = new.pop(other)
        old_only.append(
            f"variable {key[1]} is named {other[1]} in the migrated program: a checkpoint "
            "of the one has it under another name than the other's"
        )
    for key in old.keys() | new.keys():
        kind, name = key
        if key not in new:
            reason = NO_COUNTERPART.get(name)
            text = f"{kind} {name}"
            old_only.append(f"{text} ({reason})" if reason else text)
            if not reason:
                rows.append(_absent(old[key], "the migrated program has none"))
        elif key not in old:
            new_only.append(f"{kind} {name}")
        else:
            rows.append(
                _row(
                    records,
                    old[key],
                    new[key].points,
                    second[key].points if key in second else [],
                    shifted[key].points if key in shifted else [],
                )
            )
    return sorted(rows, key=lambda row: (row.kind, row.name))


def _renamed(
    old: dict[tuple[str, str], Series], new: dict[tuple[str, str], Series]
) -> dict[tuple[str, str], tuple[str, str]]:
    """Variables whose scope is another: one name is the other's end, and no third is."""
    lost, added = old.keys() - new.keys(), new.keys() - old.keys()
    found = {}
    for key in lost:
        same = [
            other
            for other in added
            if key[0] == other[0] == "variable"
            and (key[1].endswith("/" + other[1]) or other[1].endswith("/" + key[1]))
            and old[key].points[0].told["shape"] == new[other].points[0].told["shape"]
        ]
        if len(same) == 1:
            found[key] = same[0]
    once = list(found.values())
    return {key: other for key, other in found.items() if once.count(other) == 1}


def _absent(old: Series, what: str) -> Row:
    point = old.points[0]
    return Row(
        old.kind,
        old.name,
        first=point.step,
        what=f"{what} of that name",
        excess=float("inf"),
        old_at=point.at,
    )


def _row(
    records: Records,
    old: Series,
    new: list[Point],
    second: list[Point],
    shifted: list[Point],
) -> Row:
    row = Row(old.kind, old.name)
    allowed = Allowed(total=_change(records.first, [p.told for p in old.points]))
    for i, (a, b) in enumerate(zip(old.points, new)):
        c = second[i].told if i < len(second) else None
        d = shifted[i].told if i < len(shifted) else None
        _point(row, records, a, b, c, d, allowed)
    if len(old.points) != len(new) and not row.wrong and old.kind != "variable":
        row.first = min(len(old.points), len(new))
        row.what = f"{len(old.points)} values in the original, {len(new)} here"
        row.excess = float("inf")
    return row


def _change(record: Record, points: list[Told]) -> float:
    """How far a value gets from where it was first, in any element at any step."""
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


def _point(
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
        _fail(row, a.step, f"shape {b.told['shape']}, expected {a.told['shape']}")
        return
    if str(a.told["dtype"]) != str(b.told["dtype"]) and row.kind == "variable":
        _fail(row, a.step, f"dtype {b.told['dtype']}, expected {a.told['dtype']}")
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
        records.second.array(second) if second and "digest" in second else None,
        records.shifted.array(shifted)
        if shifted and records.shifted and "digest" in shifted
        else None,
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
    if allowed.is_race():
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
        _fail(
            row,
            a.step,
            f"{text}; difference {worst:.3g}, allowed {limit:.3g}",
            worst / max(limit, 1e-300),
        )


def _fail(row: Row, step: int, what: str, excess: float = float("inf")) -> None:
    if row.first is None:
        row.first, row.what, row.excess = step, what, excess


def _words(row: Row, a: Point, b: Point, second: Told | None) -> None:
    """Text, and summaries' scalars by tag."""
    if "summary" not in a.told:
        row.steps += 1
        if second is not None and second.get("text") != a.told["text"]:
            return  # The original's own is another each time.
        if a.told["text"] != b.told.get("text"):
            _fail(row, a.step, f"{b.told.get('text')!r}, expected {a.told['text']!r}")
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
            _fail(row, a.step, f"summary {tag!r} is in one program only")
        elif not np.isclose(old[tag], new[tag], rtol=1e-3, atol=1e-6, equal_nan=True):
            again = (second or {}).get("summary", {}).get(tag)
            if again is None or np.isclose(old[tag], again, rtol=1e-6, atol=0):
                _fail(row, a.step, f"summary {tag!r}: {new[tag]}, expected {old[tag]}")


# -- fetched values --------------------------------------------------------------------


class _Sites:
    """Values of runs by where they are fetched: pairs the two programs' of each site."""

    def __init__(self, records: Records, kind: str) -> None:
        self._records, self._kind = records, kind
        self.rows: dict[tuple[str, int, str], tuple[Row, Allowed]] = {}
        self._pairs: dict[Any, Any] = {}
        self.old_only: dict[str, int] = {}
        self.new_only: dict[str, int] = {}

    def _distance(self, a: Told, b: Told) -> float:
        if a.get("digest") is not None and a.get("digest") == b.get("digest"):
            return 0.0
        one, two = self._records.first.array(a), self._records.new.array(b)
        if one is None or two is None or not one.size:
            return 0.5
        wide = one.astype(np.float64)
        scale = float(np.max(np.abs(wide))) or 1.0
        far = float(np.max(np.abs(wide - two.astype(np.float64)))) / scale
        return float(min(0.9, np.nan_to_num(far, nan=0.9)))

    def add(
        self,
        step: int,
        old: list[Event],
        new: list[Event],
        second: list[Event],
        shifted: list[Event],
    ) -> None:
        olds, news = _flat(old), _flat(new)
        seconds, shifteds = _flat(second), _flat(shifted)
        key = (
            tuple((at, _form(t)) for at, _, t in olds),
            tuple((at, _form(t)) for at, _, t in news),
        )
        if key not in self._pairs:
            self._pairs[key] = pairing.pairs(
                [t for _, _, t in olds], [t for _, _, t in news], self._distance
            )
        pairs, only_old, only_new = self._pairs[key]
        counts: dict[tuple[str, str], int] = {}
        for i, j in pairs:
            at, name, told = olds[i]
            number = counts[at, name] = counts.get((at, name), -1) + 1
            place = at, number, name
            if place not in self.rows:
                shown = name + (f" ({number + 1})" if number else "")
                self.rows[place] = Row(self._kind, shown, old_at=at), Allowed()
            row, allowed = self.rows[place]
            aligned = len(seconds) == len(olds)
            moved = len(shifteds) == len(olds)
            _point(
                row,
                self._records,
                Point(step, told, at),
                Point(step, news[j][2], news[j][0]),
                seconds[i][2] if aligned else None,
                shifteds[i][2] if moved else None,
                allowed,
            )
        for i in only_old:
            if olds[i][2].get("plain") or not is_float(olds[i][2]):
                continue  # A variable's value, which is compared; or a session's own.
            text = f"{self._kind} {olds[i][1]} at {olds[i][0]}"
            self.old_only[text] = self.old_only.get(text, 0) + 1
        for j in only_new:
            text = f"{self._kind} at {news[j][0]}"
            self.new_only[text] = self.new_only.get(text, 0) + 1


def is_float(told: Told) -> bool:
    """Whether a value holds floating-point numbers."""
    return "summary" in told or str(told.get("dtype", "")).startswith("float")


def _form(told: Told) -> Any:
    return tuple(told.get("shape", ())), told.get("dtype"), "summary" in told


def _flat(events: list[Event]) -> list[tuple[str, str, Told]]:
    found = []
    for event in events:
        names = event.get("names") or []
        known = len(names) == len(event["fetches"])
        plain = event.get("plain") or []
        for i, told in enumerate(event["fetches"]):
            if known and i < len(plain) and plain[i]:
                told = {**told, "plain": True}
            name = names[i].split(":")[0] if known else f"value {i + 1}"
            found.append((event["at"], name, told))
    return found


def _fetches(records: Records, old_only: list[str], new_only: list[str]) -> list[Row]:
    steps, reads = _Sites(records, "fetch"), _Sites(records, "read")
    all_records = (records.first, records.new, records.second, records.shifted)
    of_steps = [r.steps if r else [] for r in all_records]
    of_reads = [series.reads(r) if r else [] for r in all_records]
    for k in range(min(len(of_steps[0]), len(of_steps[1]))):
        steps.add(k, *([s[k]] if k < len(s) else [] for s in of_steps))
    last = min(len(of_reads[0]), len(of_reads[1]))
    ended = all(r and r.end and r.end["reason"] == "ended" for r in all_records[:2])
    for k in range(last if ended else last - 1):
        reads.add(k, *(s[k] if k < len(s) else [] for s in of_reads))
    rows = []
    for sites in (steps, reads):
        rows += [row for row, _ in sites.rows.values()]
        for texts, found in ((sites.old_only, old_only), (sites.new_only, new_only)):
            found += [f"{t} ({n} times)" if n > 1 else t for t, n in texts.items()]
    return rows
