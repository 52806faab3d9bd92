"""Every code that can appear in a report is explained."""

from __future__ import annotations

import pathlib
import re

import migrate
from migrate.codes import CODES, ROWS


def test_a_code_has_one_meaning() -> None:
    assert len(ROWS) == len(CODES)


def test_every_code_has_a_row_and_every_row_is_used() -> None:
    used: set[str] = set()
    for path in pathlib.Path(migrate.__file__).parent.rglob("*.py"):
        if path.parent.name not in ("codes", "support"):
            used |= set(re.findall(r'"([CDEGHIKLMNOPSTV]\d{3})"', path.read_text()))
    assert used - set(CODES) == set()
    assert set(CODES) - used == set()
