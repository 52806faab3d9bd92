"""Writes docs/spellings.md: for each idiom a table of its spellings and their outcomes."""

from __future__ import annotations

import pathlib

from tests.spellings import matrix
from tests.spellings.matrix import Recorded, Spelling

DOCUMENT = pathlib.Path(__file__).parents[2] / "docs" / "spellings.md"
LONGEST = 20  # Words of a reason: a page has at most 2,500.
_HEAD = """\
# Spellings

People write one thing in many ways: with loops or comprehensions, classes or closures, in one module or two. The tool
should migrate all of them. This page shows how far it does. For each idiom of TensorFlow 1, `tests/spellings` has
programs that compute the same and differ only in how they are written. We call each program a *spelling*.

The tests run every program under TensorFlow 1.15.5. They check that all spellings of an idiom log the same losses and
weights. They migrate each program, run the result under TensorFlow 2.21, and compare. The numbers may differ by
two millionths, because the kernels of TensorFlow 2.21 round differently. A test also changes a constant in migrated
programs, and checks that the comparison notices it.

`python -m tests.spellings PYTHON` runs all programs again and writes this page. `PYTHON` is the Python of TensorFlow
1.15.5. `pytest tests/spellings` fails if an outcome changes. A refused program shows its first code, and the beginning
of the first reason.

**{equal} of {all} spellings are migrated and equal.** The tool refuses {refused}: these programs stay as they were.
{wrong}

| idiom | in `tests/spellings/programs` | spellings | equal | refused | different, or with an error |
|---|---|---|---|---|---|
"""


def write_page() -> str:
    spellings = matrix.find_spellings()
    recorded = matrix.read_recorded()
    outcomes = [recorded[s.key].outcome for s in spellings]
    equal, refused = outcomes.count("equal"), outcomes.count("refused")
    wrong = len(outcomes) - equal - refused
    text = _HEAD.format(
        equal=equal,
        all=len(outcomes),
        refused=refused,
        wrong=_tell_wrong(wrong),
    )
    parts = []
    for idiom, title in matrix.IDIOMS.items():
        own = [s for s in spellings if s.idiom == idiom]
        text += _count_outcomes(idiom, title, [recorded[s.key] for s in own])
        parts.append(_write_idiom(title, own, recorded))
    return text + "".join(parts)


def _tell_wrong(count: int) -> str:
    if not count:
        return "No migrated program computes something else."
    end = "s compute" if count > 1 else " computes"
    stop = "stop" if count > 1 else "stops"
    return f"{count} migrated program{end} something else or {stop} with an error, or the tool itself does."


def _count_outcomes(idiom: str, title: str, rows: list[Recorded]) -> str:
    outcomes = [row.outcome for row in rows]
    equal, refused = outcomes.count("equal"), outcomes.count("refused")
    wrong = len(rows) - equal - refused
    return f"| {title} | `{idiom}` | {len(rows)} | {equal} | {refused} | {wrong} |\n"


def _write_idiom(title: str, own: list[Spelling], recorded: dict[str, Recorded]) -> str:
    rows = "".join(
        f"| `{s.name}` | {s.described} | {_tell_outcome(recorded[s.key])} |\n"
        for s in own
    )
    return (
        f"\n## {title}\n\n"
        f"| program | what is special | outcome |\n|---|---|---|\n{rows}"
    )


def _tell_outcome(row: Recorded) -> str:
    """The outcome with the first code, and with the first sentence of the reason."""
    if row.outcome == "equal":
        return "equal"
    words = row.reason.split(". ")[0].split()
    reason = " ".join(words[:LONGEST])
    reason += "`" * (reason.count("`") % 2) + " ..." * (len(words) > LONGEST)
    reason = reason.replace("|", "\\|").replace("<", "&lt;")
    code = f" {row.codes[0]}" if row.codes else ""
    return f"**{row.outcome}**{code}: {reason}"
