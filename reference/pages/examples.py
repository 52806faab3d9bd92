"""The example of a rule's page, cut out of programs that the tests run.

A refused program is shown with its recipe followed (`tests/rules/followed`), any other
case of `tests/rules` beside what the tool writes for it.
"""

from __future__ import annotations

import dataclasses
import difflib
import itertools
from collections.abc import Iterable, Iterator

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from reference.pages.cases import Case

_CONTEXT = 1  # Unchanged lines around a change.
_MOST = 36  # Lines of a program that are shown.
_MOST_WRITTEN = 18  # Lines of a migration that are shown below a change by hand.


@dataclasses.dataclass(frozen=True)
class Example:
    """Two programs, cut down to what differs.

    Attributes:
      before: lines of the program as it was.
      after: lines of the program as it became; empty where nothing changes.
      said: what the after part is.
      written: lines that the tool writes for the after part, if that is a change by hand.
    """

    before: str
    after: str
    said: str
    written: str = ""

    @property
    def only_deletes(self) -> bool:
        """Whether all that is left was there before."""
        return set(self.after.splitlines()) <= set(self.before.splitlines())


def show_followed(pair: tuple[str, str]) -> Example:
    """A refused program, and the same with the recipe followed."""
    before, after = cut_changes(*pair)
    migrated = migrate_text(pair[1]).text
    if migrated == pair[1]:
        return Example(
            before, after, "After this change by hand, nothing is left to do"
        )
    return Example(
        before,
        after,
        "After this change by hand, still in TensorFlow 1, the tool migrates the program",
        _cut_migration(pair[1], migrated, _find_first_change(*pair)),
    )


def _find_first_change(old: str, new: str) -> int:
    """The number of the first line of `new` that `old` does not have there."""
    pairs = itertools.zip_longest(old.splitlines(), new.splitlines())
    return next(number for number, (a, b) in enumerate(pairs, 1) if a != b)


def _cut_migration(text: str, migrated: str, line: int) -> str:
    """Cuts from the migrated program the lines that the example shows."""
    before, after = text.splitlines(), migrated.splitlines()
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    changes = [c for c in matcher.get_opcodes() if c[0] != "equal"]
    near = [c for c in changes if c[2] >= line - 1 and c[4] > c[3]] or changes
    first = max(0, near[0][3] - _CONTEXT)
    last = min(near[-1][4] + _CONTEXT, first + _MOST_WRITTEN)
    lines = after[first:last]
    return _show([*lines, "..."] if last < len(after) else lines)


def show_case(case: Case) -> Example:
    """A program, and what the tool writes for it, around the first finding."""
    finding = case.findings()[0]
    if finding.outcome is not Outcome.REWRITTEN:
        return Example(_surround(case.text, finding.line), "", "")
    migrated = migrate_text(case.text).text
    if migrated == case.text:
        return Example(_surround(case.text, finding.line), "", "")
    before, after = cut_changes(case.text, migrated, finding.line)
    return Example(before, after, "`tf1to2 migrate` writes")


def _surround(text: str, line: int) -> str:
    lines = text.splitlines()
    return _show(lines[max(0, line - 1 - _CONTEXT) : line + _CONTEXT])


def cut_changes(old: str, new: str, line: int = 0) -> tuple[str, str]:
    """The lines that differ, with `...` between; only the part with `line`, where given."""
    before, after = old.splitlines(), new.splitlines()
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    hunks = list(matcher.get_grouped_opcodes(_CONTEXT))
    if line:
        hunks = [h for h in hunks if h[0][1] < line <= h[-1][2]] or hunks
    parts = [(h[0][1], h[-1][2], h[0][3], h[-1][4]) for h in hunks]
    return (
        _show(_join([before[a:b] for a, b, _, _ in parts])),
        _show(_join([after[c:d] for _, _, c, d in parts])),
    )


def _show(lines: Iterable[str]) -> str:
    """Lines without the indentation that all of them have, `...` aside."""
    lines = "\n".join(lines).strip("\n").split("\n")
    widths = [len(x) - len(x.lstrip()) for x in lines if x.strip() and x != "..."]
    shift = min(widths, default=0)
    return "\n".join(line if line == "..." else line[shift:] for line in lines)


def _join(parts: list[list[str]]) -> Iterator[str]:
    count = 0
    for number, part in enumerate(parts):
        if number:
            yield "..."
        for line in part:
            count += 1
            if count > _MOST:
                yield "..."
                return
            yield line
