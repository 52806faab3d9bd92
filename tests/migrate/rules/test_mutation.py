"""Faults that are planted into the table of calls are noticed; `tests/mutation.py` has them all."""

from __future__ import annotations

import importlib.util

import pytest

from migrate.tables.calls import CALLS
from tests import mutation

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("tensorflow") is None, reason="needs tensorflow"
)


@pytest.mark.parametrize(
    ("symbol", "part"),
    [
        ("tf.nn.softmax_cross_entropy_with_logits", "wrapped labels"),
        ("tf.reduce_sum", "renamed keep_dims"),
        ("tf.argmin", "positional"),
        ("tf.to_float", "target"),
        ("tf.transpose", "keyword perm"),
    ],
)
def test_a_planted_fault_is_noticed(symbol: str, part: str) -> None:
    mutants = {m.part: m for m in mutation.mutants(CALLS[symbol])}
    assert mutation.is_noticed(mutants[part])


def test_a_fault_that_no_case_reaches_survives(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: without its cases nobody notices."""
    cases = ("tf.reduce_sum(x, axis=1)",)
    monkeypatch.setattr(mutation.symbol_cases, "CASES", cases)
    monkeypatch.setitem(mutation.RECORDED, cases[0], [-4.5, 4.5])
    left = {m.part for m in mutation.survivors(["tf.reduce_sum"])}
    assert "renamed keep_dims" in left
    assert "target" not in left


def test_those_that_mean_the_same_are_mutants() -> None:
    every = {str(m) for row in CALLS.values() for m in mutation.mutants(row)}
    assert {*mutation.EQUAL} <= every
