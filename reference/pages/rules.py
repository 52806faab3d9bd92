"""docs/rules.md and docs/rules/: every code of the tool, from `migrate/codes/`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from migrate.codes import CODES, FAMILIES, MERGED, Code
from migrate.codes.pages import locate_page
from migrate.findings import Outcome
from reference.pages.cases import Case, cases
from reference.pages.examples import show_case, show_followed
from reference.pages.topics import find_related

_WRITTEN = "<!-- Written by `python -m reference.pages`; do not edit. -->\n"
_HEAD = """\
# Rules

Every finding has a code: one letter for its family, and three digits. Each code has a page here.
`tf1to2 rule CODE` prints the same in a terminal. To find a code, use the search box or choose its
family.

A finding has one of five outcomes.

| outcome | what happened |
|---|---|
| *rewritten* | The tool changed this code. Nothing is left to do. |
| *kept* | This code means the same in TensorFlow 2. It stays as it is. |
| *refused* | The tool cannot migrate this code safely. The page has a recipe. |
| *warning* | The program is migrated, and only its author can say what is meant here. The finding says what may be wrong or different. |
| *failed* | The tool could not read the file, or its own checks rejected the result. |

One refusal leaves the whole program unchanged, because half a program runs on neither TensorFlow.

## Families

| family | what it is about | codes |
|---|---|---|
"""
_TAIL = """
## How to silence a code

Write `# tf1to2: ignore[CODE]` at the end of a line, or of its statement. In place of `CODE` write one
code, several codes with commas between them, or the beginning of a code, such as `T` or `T1`. The tool
then does not report these codes there.

- A *refusal* has the same effect as before: the program stays as it is, and the exit code is 1.
- A *warning* counts as accepted. It does not change the exit code any more.
- The tool does not correct a mistake (`D`) in this line. It keeps a name of `tensorflow.compat.v1`, if
  TensorFlow 2.21 has it.
- If the tool would rewrite the line for another reason, the line is code of TensorFlow 1. If you ask the
  tool to leave such a line, the whole program stays as it is, and [N117](rules/N117.md) says so.

A comment that names no code has no effect, and [E012](rules/E012.md) says so.

`--select` and `--ignore` choose which codes are reported. They do not change what happens to a
program, and they do not change the exit code. `--notes` writes each refusal as a comment into its
file.
"""
OUTCOMES = {
    Outcome.REWRITTEN: "rewritten: the tool changes this code",
    Outcome.KEPT: "kept: the code stays as it is",
    Outcome.REFUSED: "refused: the program stays unchanged until you change this code",
    Outcome.WARNED: "warning: the program is migrated, and you decide what is meant",
    Outcome.FAILED: "failed: the file stays unchanged",
}
# What else happens with codes than in their cases: of files, trees and notebooks no case
# can show it.
_WITHOUT_CASE = {
    Outcome.REWRITTEN: "D111 D112 E008 E010 K185 K190 N134 T118 V103",
    Outcome.KEPT: "D111 E010 E011 E012 S130 T113 T150",
    Outcome.REFUSED: "D112 E007 E011 G005 G007 K180 N102 O111 T151 T152",
    Outcome.WARNED: "C111 E011 S114 S130 V104",
    Outcome.FAILED: "E001 E002 E003 E004 E006 G005 G006 G009",
}
# The cases that a page shows, of a code with better ones than all of them in their order.
# Without a case the page shows the code's own `before` and `after` alone.
_SHOWN = {
    "C111": ("C111", "C111_balancing", "C111_keras", "C111_local"),
    "D152": (),
    "N100": (),
    "N150": ("N150_variable", "N150_placeholder", "N150_saver"),
    "S108": ("S108_profile", "S108"),
    "S115": (
        "S115",
        "S115_initialisers",
        "S115_input",
        "S115_manager",
        "S115_scaffold",
    ),
    "T101": (),
    "T105": (),
    "T111": ("T111_cudnn", "T111_import", "T111"),
}
# The tool rewrites the code, and its recipe is left to the reader.
_LEFT = frozenset({"D158"})
_CODE = re.compile(r"\b[A-Z]\d{3}\b")


def write_entry() -> str:
    """docs/rules.md: what codes are, and the families."""
    rows = "".join(
        f"| [{letter}](rules/{letter}.md) | {escaped(family)} | {len(_family(letter))} |\n"
        for letter, family in FAMILIES.items()
    )
    return _WRITTEN + _HEAD + rows + _TAIL


def _family(letter: str) -> list[Code]:
    return [code for code in CODES.values() if code.id.startswith(letter)]


def write_family(letter: str) -> str:
    """docs/rules/X.md: the codes of a family."""
    lines = [
        f"# {letter}: {FAMILIES[letter]}\n",
        "| code | what it means |\n|---|---|",
    ]
    for code in sorted(_family(letter), key=lambda code: code.id):
        lines.append(
            f"| [{code.id}: {escaped(code.title)}]({code.id}.md) "
            f"| {escaped(_first_sentence(code.explanation))} |"
        )
    return _WRITTEN + "\n".join(lines) + "\n"


def _first_sentence(text: str) -> str:
    found = re.match(r"(.+?[.?!])(?= [A-Z`]|$)", text.replace("\n", " "))
    return (found[1] if found else text).replace("|", "\\|")


def name_pages() -> Iterator[str]:
    """The name of every page in docs/rules/."""
    for name in (*FAMILIES, *CODES):
        yield f"{name}.md"


def write_page(name: str) -> str:
    """The text of a page in docs/rules/."""
    stem = name.removesuffix(".md")
    if stem in FAMILIES:
        return write_family(stem)
    code = CODES[stem]
    pairs = _pairs_of_recipes()
    known = [case for case in cases().values() if case.code == stem]
    known.sort(key=lambda case: case.name not in _SHOWN.get(stem, ()))
    if not known and stem in pairs and not _has_command(stem):
        known = [Case(stem, pairs[stem][0])]
    return _WRITTEN + "\n".join(_page(code, known, pairs))


def _show_command(code: str) -> Iterator[str]:
    """Shows the files and output of a rule that no single program has."""
    from tests.rules import commands

    command = commands.COMMANDS[code]
    yield f"{command.about}\n"
    for name, text in commands.list_shown_files(code):
        yield f"`{name}`:\n\n```python\n{text}\n```\n"
    printed = (commands.RECORDED / f"{code}.txt").read_text("utf-8").rstrip("\n")
    yield f"```console\n{printed}\n```\n"


def _has_command(code: str) -> bool:
    from tests.rules import commands

    return code in commands.COMMANDS


def _pairs_of_recipes() -> dict[str, tuple[str, str]]:
    # Programs of the tests: only in a checkout, where pages are written.
    from tests.rules.followed import FOLLOWED

    return FOLLOWED


def _page(
    code: Code, known: list[Case], followed: dict[str, tuple[str, str]]
) -> Iterator[str]:
    yield f"# {code.id}: {code.title}\n"
    outcomes = dict.fromkeys(case.findings()[0].outcome for case in known)
    outcomes |= dict.fromkeys(
        o for o, codes in _WITHOUT_CASE.items() if code.id in codes.split()
    )
    said = "; ".join(OUTCOMES[outcome] for outcome in outcomes)
    family = f"[{FAMILIES[code.id[0]]}]({code.id[0]}.md)"
    outcome = f" *Outcome:* {said}." if said else ""
    yield f"*Family:* {family}.{outcome}\n"
    yield f"## What it means\n\n{_linked(code.explanation, code.id)}\n"
    if code.why:
        yield f"## Why\n\n{_linked(code.why, code.id)}\n"
    yield from _examples(code, known, followed)
    yield from _recipes(code, known)
    if code.refused_when:
        yield f"## Refused when\n\n{_linked(_sentence(code.refused_when), code.id)}\n"
    if code.promise:
        yield f"## What stays the same\n\n{_linked(_sentence(code.promise), code.id)}\n"
    yield "## Related\n"
    for other in find_related(code.id):
        yield f"- [{other}]({other}.md): {escaped(CODES[other].title)}"
    merged = [old for old, new in MERGED.items() if new == code.id]
    if merged:
        yield f"\nEarlier versions called this {', '.join(merged)} in some places."
    yield f"\nAddress of this page: <{locate_page(code.id)}>\n"


def _examples(
    code: Code, known: list[Case], followed: dict[str, tuple[str, str]]
) -> Iterator[str]:
    shown = []
    names = dict.fromkeys([code.id, *(case.name for case in known)])
    for name in _SHOWN.get(code.id, names):
        case = next((c for c in known if c.name == name), None)
        if name in followed:
            shown.append(show_followed(followed[name]))
        elif case is not None:
            shown.append(show_case(case))
    # The most telling ones first: a recipe that only takes lines away shows nothing new.
    shown.sort(key=lambda example: bool(example.after) and example.only_deletes)
    if _has_command(code.id):
        yield "## Example\n"
        yield from _show_command(code.id)
        return
    if not shown and not code.before:
        return
    yield "## Example\n"
    if code.before:
        yield f"Before:\n\n```python\n{code.before}\n```\n"
        yield f"After:\n\n```python\n{code.after}\n```\n"
    explained = next((example for example in shown if example.written), None)
    for example in shown:
        yield "A program of the test suite has:\n"
        yield f"```python\n{example.before}\n```\n"
        if example.after:
            yield f"{example.said}:\n\n```python\n{example.after}\n```\n"
        if example is explained:
            yield f"`tf1to2 migrate` then writes:\n\n```python\n{example.written}\n```\n"


def _recipes(code: Code, known: list[Case]) -> Iterator[str]:
    found: dict[str, str] = {}
    made: dict[str, str] = {}
    for case in known:
        finding = case.findings()[0]
        if finding.recipe:
            by_tool = finding.outcome is Outcome.REWRITTEN and code.id not in _LEFT
            (made if by_tool else found)[finding.recipe] = finding.reason
    if found or code.recipe:
        yield "## What to do\n"
    if code.recipe:
        yield f"{_linked(_sentence(code.recipe), code.id)}\n"
    if found:
        yield "The finding names the reason and the recipe, for example:\n"
        yield from _quote_findings(found, "Do this")
    if made:
        yield "## Correction\n"
        yield (
            "If the finding says *rewritten*, the tool has made the correction. Otherwise "
            "make it yourself. For example:\n"
        )
        yield from _quote_findings(made, "Correction")


def _quote_findings(found: dict[str, str], label: str) -> Iterator[str]:
    for recipe, reason in found.items():
        yield (
            f"> {_sentence(escaped(reason))}\n>\n> *{label}:* {escaped(_flat(recipe))}\n"
        )


def _flat(text: str) -> str:
    return " ".join(text.split())


def _sentence(text: str) -> str:
    """A text with a capital at its beginning and a full stop at its end."""
    if re.match(r"[a-z]+[ ,;]", text):
        text = text[0].upper() + text[1:]
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _linked(text: str, own: str) -> str:
    """Prose in which the codes of other pages are links."""

    def link(match: re.Match[str]) -> str:
        code = match[0]
        return f"[{code}]({code}.md)" if code in CODES and code != own else code

    return _CODE.sub(link, escaped(text))


def escaped(text: str) -> str:
    """Prose whose stars, underscores and angle brackets are themselves."""
    quoted = False
    found = []
    for character in text:
        quoted ^= character == "`"
        special = character in "*_<" and not quoted
        found.append(f"\\{character}" if special else character)
    return "".join(found)
