"""Checks that the terminals on the pages of rules show the command's real output."""

from __future__ import annotations

import pathlib

import pytest

from tests.rules.commands import COMMANDS, RECORDED, list_shown_files, run_command

PAGES = pathlib.Path(__file__).parents[2] / "docs" / "rules"


@pytest.mark.parametrize("code", COMMANDS)
def test_the_command_prints_this(code: str) -> None:
    """`python -m tests.rules.commands` records it anew."""
    printed = run_command(code)
    assert f" {code} " in printed
    assert printed == (RECORDED / f"{code}.txt").read_text("utf-8")


@pytest.mark.parametrize("code", COMMANDS)
def test_the_page_shows_it(code: str) -> None:
    page = (PAGES / f"{code}.md").read_text("utf-8")
    assert (RECORDED / f"{code}.txt").read_text("utf-8") in page
    for name, text in list_shown_files(code):
        assert f"`{name}`:\n\n```python\n{text}\n```" in page


def test_nothing_else_is_recorded() -> None:
    assert {path.stem for path in RECORDED.iterdir()} == set(COMMANDS)
