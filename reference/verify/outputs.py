"""Compares what the programs printed, and text that they wrote.

Numbers are compared where both programs have the same words around them. Words that only
one of them has are told, and decide nothing: a migrated program may say more, or less.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from reference.verify import tolerance
from reference.verify.rows import Records, Row

_UNIT = r"(?:[mun]?s|secs?|mins?|hrs?|h|x|[kKMG]i?B?)\b"
_NUMBER = re.compile(
    r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)"
    rf"(?:(?![\w.]*\w)|(?={_UNIT}))"
    r"|(?<![\w])[-+]?(?:nan|inf)(?!\w)"
)
# A line with such a word may tell of the machine, not of the training.
_OF_TIME = re.compile(
    r"\b(secs?|seconds?|ms|minutes?|hours?|time[ds]?|elapsed|duration|took|speed|"
    r"throughput|date|0x[0-9a-f]+|(?:steps?|examples?|images?|samples?)\s*(?:/|per)\s*s\w*)\b"
    r"|\d\d:\d\d|\bat 0x|#[mun]?s\b",
    re.I,
)
_SHOWN = 60
_WORDS = 20  # Lines that only one program has: so many are named.


@dataclasses.dataclass(frozen=True)
class Line:
    """A printed line.

    Attributes:
      words: without its numbers.
      numbers: as they were written.
      step: how many steps were made before it.
    """

    words: str
    numbers: tuple[str, ...]
    step: int
    text: str


Groups = dict[str, list[Line]]


def group_lines(lines: Iterable[tuple[int, str]]) -> Groups:
    """Lines by their words, in their order."""
    found: Groups = {}
    for step, text in lines:
        if not text.strip():
            continue
        numbers = tuple(_NUMBER.findall(text))
        words = " ".join(_NUMBER.sub("#", text).split())
        found.setdefault(words, []).append(Line(words, numbers, step, text))
    return found


def compare_printed(
    records: Records, worker: int
) -> tuple[list[Row], list[str], list[str]]:
    """(rows, what only the original prints, what only the migrated program does)."""
    every = (records.first, records.again, records.shifted, records.new)
    ends = [(r.end or {}) for r in (records.first, records.new)]
    stopped = any(end.get("reason") == "enough" for end in ends)
    # What stands after the last step is cut off anywhere.
    last = min(len(records.first.steps), len(records.new.steps)) if stopped else None
    groups = [
        group_lines(
            (step, text)
            for step, text in (record.printed(worker) if record else [])
            if last is None or step < last
        )
        for record in every
    ]
    return compare_groups("printed", "", *groups)


def compare_groups(
    kind: str, name: str, old: Groups, second: Groups, shifted: Groups, new: Groups
) -> tuple[list[Row], list[str], list[str]]:
    """Compares texts, as far as they have the same words.

    Args:
      kind, name: of the rows; what a text is ("file", "losses.csv").
      second, shifted: of the original's other runs; empty where there is none.
    """
    rows = []
    old_only: list[str] = []
    new_only: list[str] = []
    label = f"{kind} {name}".strip()
    for words, lines in old.items():
        others = new.get(words, [])
        shown = words[:_SHOWN]
        if len(lines) != len(others):
            if _OF_TIME.search(words) is None:
                count = f"{len(lines)} and {len(others)} times" if others else "not"
                where = old_only
                where.append(f"{label}: {shown!r} is {count} in the migrated program's")
        if "#" not in words or not others:
            continue
        rows.append(
            _compare(
                Row(kind, f"{name}: {shown}" if name else shown),
                lines,
                others,
                second.get(words, []),
                shifted.get(words, []),
            )
        )
    new_only += [
        f"{label}: {words[:_SHOWN]!r}"
        for words in new
        if words not in old and _OF_TIME.search(words) is None
    ]
    return [r for r in rows if r.steps], old_only[:_WORDS], new_only[:_WORDS]


def _compare(
    row: Row,
    lines: Sequence[Line],
    others: Sequence[Line],
    second: Sequence[Line],
    shifted: Sequence[Line],
) -> Row:
    """Compares the numbers of lines of the same words."""
    skipped = _of_machine(lines, second)
    for place in range(len(lines[0].numbers)):
        if place in skipped:
            continue
        largest = moved = 0.0
        for k, (line, other) in enumerate(zip(lines, others)):
            a, b = line.numbers[place], other.numbers[place]
            x, y = float(a), float(b)
            largest = max(largest, abs(x)) if np.isfinite(x) else largest
            if k < len(shifted):
                moved = max(moved, _apart(float(shifted[k].numbers[place]), x))
            whole = not _is_real(a) and not _is_real(b) and not moved
            allowed = (
                0.0
                if whole
                else max(
                    _unit(a, b),
                    tolerance.ULPS * float(np.finfo(np.float32).eps) * largest,
                    tolerance.AMPLIFIED * moved,
                )
            )
            row.steps += 1
            row.floats = row.floats or _is_real(a)
            far = _apart(x, y)
            if far >= row.difference:
                row.difference, row.at, row.allowed = far, line.step, allowed
            # What both show of a value may be cut between two numbers: one unit.
            if far > allowed * (1 + 1e-9) and row.first is None:
                row.first = line.step
                row.what = f"{other.text.strip()!r}, expected {line.text.strip()!r}"
                row.excess = far / max(allowed, 1e-300)
    return row


def _of_machine(lines: Sequence[Line], second: Sequence[Line]) -> set[int]:
    """Places of numbers that tell of time, or are others in every run."""
    count = len(lines[0].numbers)
    words = lines[0].words
    if _OF_TIME.search(words):
        # A number whose name is a real quantity's may stand beside: it is left, too.
        return set(range(count))
    return {
        place
        for place in range(count)
        for a, b in zip(lines, second)
        if a.numbers[place] != b.numbers[place]
    }


def _is_real(text: str) -> bool:
    return any(c in text for c in ".eEni")


def _unit(a: str, b: str) -> float:
    """One in the last place that both have written."""
    return max(_last_place(a), _last_place(b))


def _last_place(text: str) -> float:
    mantissa, _, exponent = text.lower().partition("e")
    if "n" in mantissa:
        return 0.0
    decimals = len(mantissa.partition(".")[2])
    return float(10.0 ** (int(exponent or 0) - decimals))


def _apart(x: float, y: float) -> float:
    if x == y or (np.isnan(x) and np.isnan(y)):
        return 0.0
    far = abs(x - y)
    return float(far) if np.isfinite(far) else float("inf")


def of_text(text: str) -> Groups:
    """A file's text, its lines numbered for steps."""
    return group_lines(enumerate(text.splitlines()))


def empty() -> Mapping[str, list[Line]]:
    """No text."""
    return {}
