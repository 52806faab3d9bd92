"""Every code that can appear in a report is explained."""

from __future__ import annotations

import pathlib
import re

import migrate
from migrate.codes import CODES, ROWS
from migrate.findings import Outcome
from reference.pages.rules import OUTCOMES

PAGES = pathlib.Path(migrate.__file__).parents[1] / "docs" / "rules"


def test_a_code_has_one_meaning() -> None:
    assert len(ROWS) == len(CODES)


def test_every_code_has_a_row_and_every_row_is_used() -> None:
    used: set[str] = set()
    for path in pathlib.Path(migrate.__file__).parent.rglob("*.py"):
        if path.parent.name not in ("codes", "support"):
            used |= set(re.findall(r'"([CDEGHIKLMNOPSTV]\d{3})"', path.read_text()))
    assert used - set(CODES) == set()
    assert set(CODES) - used == set()


def test_a_page_names_every_outcome_that_the_tool_gives_its_code() -> None:
    found: set[tuple[str, Outcome]] = set()
    for path in pathlib.Path(migrate.__file__).parent.rglob("*.py"):
        if path.parent.name not in ("codes", "support"):
            text = path.read_text()
            pairs = re.findall(r'"([A-Z]\d{3})",\s*Outcome\.([A-Z]+)\b', text)
            found |= {(code, Outcome[name]) for code, name in pairs}
            refused = re.findall(r'\.refuse\(\s*"([A-Z]\d{3})"', text)
            found |= {(code, Outcome.REFUSED) for code in refused}
    assert len(found) > 90
    for code, outcome in found:
        head = (PAGES / f"{code}.md").read_text().partition("## What it means")[0]
        assert OUTCOMES[outcome] in head, (code, outcome)


def test_a_page_does_not_ask_for_what_the_tool_has_done() -> None:
    by_tool = [
        path.stem
        for path in PAGES.glob("[A-Z]???.md")
        if f"*Outcome:* {OUTCOMES[Outcome.REWRITTEN]}." in path.read_text()
    ]
    assert len(by_tool) > 40
    asking = {c for c in by_tool if "*Do this:*" in (PAGES / f"{c}.md").read_text()}
    assert asking == {"D158"}  # To install a package.
