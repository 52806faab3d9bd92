"""Compares what runs have fetched, by the places that fetch it."""

from __future__ import annotations

from typing import Any

import numpy as np

from reference.verify import pairing, series
from reference.verify.points import compare_point
from reference.verify.records import Event
from reference.verify.rows import Records, Row
from reference.verify.series import Point
from reference.verify.tolerance import Allowed

Told = dict[str, Any]


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
                # What a run reads beside training may be read once: it has no change.
                allowed = Allowed(is_result=self._kind == "read")
                self.rows[place] = Row(self._kind, shown, old_at=at), allowed
            row, allowed = self.rows[place]
            aligned = len(seconds) == len(olds)
            moved = len(shifteds) == len(olds)
            compare_point(
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


def fetches(records: Records, old_only: list[str], new_only: list[str]) -> list[Row]:
    steps, reads = _Sites(records, "fetch"), _Sites(records, "read")
    all_records = (records.first, records.new, records.again, records.shifted)
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
