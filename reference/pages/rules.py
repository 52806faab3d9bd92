"""docs/rules.md: every code of the tool, from `migrate/codes/`."""

from __future__ import annotations

from collections.abc import Iterator

from migrate.codes import CODES, FAMILIES, Code

_HEAD = """\
<!-- Written by `python -m reference.pages`; do not edit. -->
# Rules

Every finding has a code: a letter for its kind, and three digits. `tf1to2 rule CODE` tells the
same as this page. A finding is *rewritten*, *kept*, *refused* (with a comment at its line and a
recipe), or the file *failed*. To be left alone at a line, write `# tf1to2: ignore[CODE]` there;
`--select` and `--ignore` choose codes for a run.
"""


def page() -> str:
    """The page."""
    return "\n".join([_HEAD, *_families()])


def _families() -> Iterator[str]:
    for letter, family in FAMILIES.items():
        rows = [code for code in CODES.values() if code.id.startswith(letter)]
        if rows:
            yield f"## {letter}: {family}\n"
            for code in rows:
                yield from _code(code)


def _code(code: Code) -> Iterator[str]:
    yield f"### {code.id}: {code.title}\n"
    yield f"{escaped(code.explanation)}\n"
    if code.promise:
        yield f"*Promise.* {escaped(code.promise)}\n"
    if code.refused_when:
        yield f"*Refused when.* {escaped(code.refused_when)}\n"
    for heading, example in (("Before", code.before), ("After", code.after)):
        if example:
            yield f"{heading}:\n\n```python\n{example}\n```\n"


def escaped(text: str) -> str:
    """Prose whose stars, underscores and angle brackets are themselves."""
    quoted = False
    found = []
    for character in text:
        quoted ^= character == "`"
        special = character in "*_<" and not quoted
        found.append(f"\\{character}" if special else character)
    return "".join(found)
