"""Checks the gates of a result with faults that are planted into the tool's tables."""

from __future__ import annotations

import dataclasses

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.rewriting import gates
from migrate.rules import calls

CALL = "tf.squeeze"
PROGRAM = f"import tensorflow as tf\n\nprint({CALL}([[1.0]], squeeze_dims=[0]))\n"


def test_names_that_tensorflow_2_does_not_have_are_found() -> None:
    """G009, of which no program is known: every name is rewritten or refused."""
    found = gates.check("import tensorflow as tf\n\ny = tf.log(2.0)\n", "example.py")
    assert found == [("G009", 3, "`tf.log` does not exist in TensorFlow 2")]
    assert not gates.check("import tensorflow as tf\n\ny = tf.abs(2.0)\n", "x.py")


def test_a_wrong_row_of_a_table_costs_the_user_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert migrate_text(PROGRAM).text != PROGRAM
    wrong = dataclasses.replace(calls.ROWS[CALL], target="tf.log")
    monkeypatch.setitem(calls.ROWS, CALL, wrong)
    migration = migrate_text(PROGRAM)
    assert migration.text == PROGRAM
    failed = [f for f in migration.findings if f.outcome is Outcome.FAILED]
    assert [f.code for f in failed] == ["G009"]
