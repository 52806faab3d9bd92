"""docs/mistakes.md: mistakes that tutorials teach, from the programs that the tests run.

The numbers are those that the programs wrote, recorded in
`tests/programs/mistakes/traces.json`; `tests/migrate/rules/mistakes/test_mistakes.py` runs them again.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Set

from migrate.codes import CODES
from migrate.compiler import migrate_text
from migrate.findings import Finding
from reference.pages.rules import escaped
from tests.programs.mistake_cases import CASES, Case, Trace, recorded

_HEAD = """\
<!-- Written by `python -m reference.pages`; do not edit. -->
# Mistakes that tutorials teach

These mistakes raise no error, or a late one. The program runs, but computes something else than its author meant.
The tool finds them in programs of TensorFlow 1 and 2, and reports each with a code. If the correction is certain, the
tool makes it. Otherwise the finding says what to do.

For each mistake `tests/programs/mistakes` has a program. The tests run it before and after the correction. A program of
TensorFlow 1 runs under TensorFlow 1.15.5 before the correction, and under TensorFlow 2 after its migration. The numbers
on this page come from these runs.

| mistake | codes | who corrects it |
|---|---|---|
"""
_MOST = 8  # Numbers shown of a trace, the last among them.


def page() -> str:
    """The page."""
    traces = recorded()
    parts = [_HEAD + "\n".join(_row(case) for case in CASES) + "\n"]
    explained: set[str] = set()
    for case in CASES:
        parts.extend(_section(case, traces[case.name], explained))
        explained |= case.codes
    return "\n".join(parts)


def _title(case: Case) -> str:
    title = "; ".join(CODES[code].title for code in sorted(case.codes))
    return f"{title}: {case.variant}" if case.variant else title


def _begin_sentence(title: str) -> str:
    """The title with a capital; a name of Python keeps its letters."""
    first = title.split()[0]
    return title if "_" in first else title[0].upper() + title[1:]


def _row(case: Case) -> str:
    codes = ", ".join(f"[{c}](rules/{c}.md)" for c in sorted(case.codes))
    mended = "you, as the finding says" if case.by_hand else "the tool"
    return f"| {escaped(_title(case))} | {codes} | {mended} |"


def _section(
    case: Case, traces: dict[str, Trace], explained: Set[str]
) -> Iterator[str]:
    codes, title = ", ".join(sorted(case.codes)), _title(case)
    yield f"## {escaped(_begin_sentence(title))} ({codes})\n"
    for code in sorted(case.codes):
        if code in explained:
            yield f"An earlier section of this page explains [{code}](rules/{code}.md).\n"
        else:
            yield escaped(CODES[code].explanation) + "\n"
    if case.by_hand:
        yield f"*What to do.* {escaped(_finding(case).recipe)}\n"
    changes = list(_changes(case))
    if changes:
        yield "```diff\n" + "\n".join(changes) + "\n```\n"
    else:
        line = case.old.splitlines()[_finding(case).line - 1].strip()
        yield f"Found at:\n\n```python\n{line}\n```\n"
    where = "TensorFlow 1.15.5" if case.workers else "TensorFlow 2"
    yield f"*{escaped(case.numbers)}* {escaped(case.tells)}\n"
    yield (
        "| the program | its numbers |\n|---|---|\n"
        f"| before, {where} | {_numbers(traces['before'])} |\n"
        f"| corrected, TensorFlow 2 | {_numbers(traces['after'])} |\n"
    )


def _finding(case: Case) -> Finding:
    """The first of a case's codes in its program."""
    return next(f for f in migrate_text(case.old).findings if f.code in case.codes)


def _changes(case: Case) -> Iterator[str]:
    """The lines that mending changes; none where it writes another program."""
    if case.name == "asynchronous" or (case.workers and not case.by_hand):
        return
    old, new = case.old.splitlines(), case.new.splitlines()
    for line in difflib.unified_diff(old[1:], new[1:], lineterm="", n=1):
        if not line.startswith(("---", "+++", "@@")):
            yield line


def _numbers(trace: Trace) -> str:
    if trace is None:
        return "fails"
    shown = [f"{n:.4g}" for n in trace]
    if len(shown) > _MOST:
        shown = [*shown[: _MOST - 1], "...", shown[-1]]
    return ", ".join(shown)
