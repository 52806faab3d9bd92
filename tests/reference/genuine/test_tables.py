"""The page of evaluated graphs, and the table of the hold-out."""

from __future__ import annotations

import re

import pytest

from reference.genuine import tables
from reference.genuine.holdout import draw

_COLUMNS = 7
_MOST_UNKNOWN = 0.22


@pytest.fixture(scope="module")
def rows() -> list[list[str]]:
    return tables.read_holdout()


def test_the_page_is_what_is_generated() -> None:
    assert tables.PAGE.read_text() == tables.page(), (
        "python -m reference.genuine --page"
    )


def test_no_program_of_the_holdout_is_wrong(rows: list[list[str]]) -> None:
    kinds = [row[5] for row in rows]
    assert len(rows) >= 100
    assert "wrong" not in kinds
    graphs = [kind for kind in kinds if kind != "no graph"]
    assert len(graphs) >= 90
    assert graphs.count("unknown") <= _MOST_UNKNOWN * len(graphs)


def test_rows_are_facts(rows: list[list[str]]) -> None:
    for row in rows:
        assert len(row) == _COLUMNS, row
        assert re.fullmatch(r"[0-9a-f]{40}", row[1]) and re.fullmatch(
            r"[0-9a-f]{64}", row[3]
        )
        assert bool(row[6]) is (row[5] == "unknown")


def test_holdout_and_development_have_no_repository_in_common(
    rows: list[list[str]],
) -> None:
    names = draw.read_names()
    development = set(draw.order(names, development=True))
    held = set(draw.order(names, development=False))
    assert not development & held
    assert {row[0] for row in rows} <= held


def test_nothing_of_the_holdout_is_a_proved_program(rows: list[list[str]]) -> None:
    proved = draw.PROVED.read_text()
    assert not [row[0] for row in rows if f'"{row[0]}"' in proved]
