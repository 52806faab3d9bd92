"""docs/rules.md: every code of the tool, from `migrate/codes/`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from migrate.codes import CODES, FAMILIES, Code
from reference.pages.cases import Case, cases

_HEAD = """\
<!-- Written by `python -m reference.pages`; do not edit. -->
# Rules

Every finding has a code: a letter for its kind, and three digits. `tf1to2 rule CODE` tells the
same as this page. A finding is *rewritten*, *kept*, *refused* (with a recipe), or the file
*failed*. A program with a refusal stays as it is, byte for byte; `--notes` writes its refusals into
its files, as comments.

To leave a line alone, write `# tf1to2: ignore[CODE]` there: what the code is about stays as it is,
and is not reported. A program that cannot be migrated without that line stays refused.
`--select` and `--ignore` choose which codes are reported. They do not change what became of a
program, or the exit code.
"""


def page() -> str:
    """The page."""
    return "\n".join([_HEAD, *_families(cases())])


def _families(known: Mapping[str, Case]) -> Iterator[str]:
    for letter, family in FAMILIES.items():
        rows = [code for code in CODES.values() if code.id.startswith(letter)]
        if rows:
            yield f"## {letter}: {family}\n"
            for code in rows:
                yield from _code(code, known.get(code.id))


def _code(code: Code, case: Case | None) -> Iterator[str]:
    yield f"### {code.id}: {code.title}\n"
    yield f"{escaped(code.explanation)}\n"
    if code.promise:
        yield f"*Promise.* {escaped(code.promise)}\n"
    if code.refused_when:
        yield f"*Refused when.* {escaped(code.refused_when)}\n"
    for heading, example in (("Before", code.before), ("After", code.after)):
        if example:
            yield f"{heading}:\n\n```python\n{example}\n```\n"
    if case is not None:
        finding = case.findings()[0]
        yield f"A case (`tests/rules/{code.id}.py`), at the line\n"
        yield f"```python\n{case.line(finding)}\n```\n"
        said = [f"*{finding.outcome.value}*", escaped(finding.reason)]
        recipe = f". {escaped(finding.recipe)}" if finding.recipe else ""
        yield ": ".join(s for s in said if s) + recipe + "\n"


def escaped(text: str) -> str:
    """Prose whose stars, underscores and angle brackets are themselves."""
    quoted = False
    found = []
    for character in text:
        quoted ^= character == "`"
        special = character in "*_<" and not quoted
        found.append(f"\\{character}" if special else character)
    return "".join(found)
