"""Rows are read as they were written, and one that was edited by hand is not taken."""

from __future__ import annotations

import dataclasses
import pathlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ledger import rows
from tests.ledger.rows import Row

ROW = Row(
    proof="tests/programs/test_a.py::test_b[c]",
    verdict="equal",
    difference="1.2e-07",
    seconds=3.5,
    date="2026-11-23",
    versions="TensorFlow 2.21.0, tf_keras 2.21.0, NumPy 2.4.6",
    reads=("tests/programs/a.json", "tests/programs/b.py"),
    key="0123456789abcdef01234567",
)


def _other(proof: str, key: str = "0" * 24) -> Row:
    return dataclasses.replace(ROW, proof=proof, key=key)


@given(st.text("abc[]|-: \\nä", min_size=1), st.floats(0, 1e4))
def test_a_row_is_read_as_it_was_written(case: str, seconds: float) -> None:
    row = dataclasses.replace(
        ROW, proof=f"tests/t.py::t[{case}]", seconds=round(seconds, 1)
    )
    assert rows.parse(row.line()) == row


@pytest.mark.parametrize(
    ("old", "new"), [("1.2e-07", "0"), ("equal", "caught"), ("0123", "0124")]
)
def test_an_edited_row_is_no_proof(old: str, new: str, tmp_path: pathlib.Path) -> None:
    rows.write([ROW, _other("tests/programs/test_a.py::test_d")], tmp_path)
    (path,) = tmp_path.iterdir()
    path.write_text(path.read_text().replace(old, new, 1))
    found, wrong = rows.read(tmp_path)
    assert list(found) == ["tests/programs/test_a.py::test_d"]
    assert len(wrong) == 1 and "edited by hand" in wrong[0]


def test_each_kind_has_a_file(tmp_path: pathlib.Path) -> None:
    others = [_other("tests/support/test_z.py::test_y")]
    rows.write([ROW, *others], tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"programs.test_a.txt", "support.test_z.txt"}
    rows.write(others, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["support.test_z.txt"]


def test_what_a_run_leaves() -> None:
    a, b, c = (_other(name) for name in "abc")
    old = {"a": a, "b": b, "c": c}
    new = _other("b", key="1" * 24)
    again = dataclasses.replace(a, date="2027-01-01")
    # A proof that was only made again keeps its row; another key has another row.
    found = rows.updated(old, {"b": new, "a": again}, {"c"}, None)
    assert found == {"a": a, "b": new}
    # All tests were asked for: rows that nothing refers to go.
    assert rows.updated(old, {}, set(), {"a", "d"}) == {"a": a}
    assert rows.updated(old, {"a": again}, set(), None, refresh=True)["a"] == again


def test_the_committed_rows_are_whole() -> None:
    _, wrong = rows.read()
    assert not wrong
