"""A file before and after, line beside line, with the findings at their lines."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterator, Sequence

from migrate.file_result import FileResult
from migrate.findings import Finding
from migrate.report.alignment import Pair, align
from migrate.source import notebook, python

_CONTEXT = 3  # Lines around what changed, or around a finding.


@dataclasses.dataclass(frozen=True)
class Row:
    """One line: on both sides, or on one.

    Attributes:
      old, new: the line's number and text; None where it has none on that side.
      findings: those at the old line.
    """

    old: tuple[int, str] | None
    new: tuple[int, str] | None
    findings: tuple[Finding, ...] = ()

    @property
    def same(self) -> bool:
        return (
            self.old is not None and self.new is not None and self.old[1] == self.new[1]
        )


@dataclasses.dataclass(frozen=True)
class Section:
    """A module, or a cell of a notebook: its hunks, and the findings that are in none.

    Attributes:
      title: of a cell; "" for a module.
      changed: whether there is a new text.
    """

    title: str
    changed: bool
    hunks: tuple[tuple[Row, ...], ...]
    others: tuple[Finding, ...]


def read_sections(result: FileResult, findings: Sequence[Finding]) -> list[Section]:
    """A file's sections that changed or have findings.

    A file that is left is read from the disk; where that fails, its findings stand alone.
    """
    try:
        data = result.old or result.path.read_bytes()
        old = python.decode(data).text
        new = python.decode(result.new).text if result.changed else old
        if result.path.suffix != ".ipynb":
            return [_make_section("", old, new, findings)]
        pairs = zip(notebook.read(old).cells, notebook.read(new).cells)
        sections = [
            _make_section(
                f"cell {before.index + 1}",
                before.source,
                after.source,
                [f for f in findings if (f.cell or 0) == before.index],
            )
            for before, after in pairs
        ]
        return [s for s in sections if s.hunks or s.others]
    except (OSError, ValueError, python.Unreadable):
        return [Section("", False, (), tuple(findings))]


def read_rows(before: str, after: str) -> list[Row]:
    """The lines of two texts beside each other."""
    return list(_make_rows(before.split("\n"), after.split("\n"), {}))


def _make_section(
    title: str, old: str, new: str, findings: Sequence[Finding]
) -> Section:
    before, after = old.split("\n"), new.split("\n")
    at: dict[int, list[Finding]] = {}
    for finding in findings:
        at.setdefault(finding.line, []).append(finding)
    rows = list(_make_rows(before, after, at))
    shown = [n for n, row in enumerate(rows) if not row.same or row.findings]
    known = {f for row in rows for f in row.findings}
    others = tuple(f for f in findings if f not in known)
    return Section(title, old != new, tuple(_make_hunks(rows, shown)), others)


def _make_rows(
    before: Sequence[str], after: Sequence[str], at: dict[int, list[Finding]]
) -> Iterator[Row]:
    # An empty line that two texts have in common says nothing of their order.
    matcher = difflib.SequenceMatcher(_is_empty, before, after, autojunk=False)
    for kind, a, a_end, b, b_end in matcher.get_opcodes():
        pairs: Sequence[Pair]
        if kind == "equal":
            pairs = [(step, step) for step in range(a_end - a)]
        else:
            pairs = align(before[a:a_end], after[b:b_end])
        for line, other in pairs:
            old = None if line is None else (a + line + 1, before[a + line])
            new = None if other is None else (b + other + 1, after[b + other])
            yield Row(old, new, tuple(at.get(old[0], ())) if old else ())


def _is_empty(line: str) -> bool:
    return not line.strip()


def _make_hunks(rows: Sequence[Row], shown: Sequence[int]) -> Iterator[tuple[Row, ...]]:
    """Groups the shown rows, each with its context; hunks that touch are one."""
    first = last = None
    for place in shown:
        start, end = max(0, place - _CONTEXT), min(len(rows), place + _CONTEXT + 1)
        if last is None or start > last:
            if first is not None:
                yield tuple(rows[first:last])
            first = start
        last = end
    if first is not None:
        yield tuple(rows[first:last])
