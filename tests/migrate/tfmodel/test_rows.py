"""Rows of `ops.tsv` against what TensorFlow 1.15.5 itself says of the same calls."""

from __future__ import annotations

import dataclasses
import functools
import random
from typing import Any

import pytest

from migrate.graph.values import HostDim, Tensor
from migrate.tfmodel import ops, registry, rules
from reference.genuine import rows
from tests.migrate.evaluate.evaluated import evaluate, read

# Whose operation's name depends on what the evaluator does not look at.
_NAMELESS = ("tf.image.resize_images", "tf.layers.dropout")
_SAMPLE = 30


def _evaluated(line: str) -> list[object]:
    m = evaluate(f"{rows.INPUTS}result = {line}\n")
    assert not m.record.problems, m.record.problems
    value = read(m, "result")
    assert isinstance(value, Tensor)
    shape = value.shape
    dims = (
        None
        if shape is None
        else [None if isinstance(d, HostDim) else d for d in shape]
    )
    return [value.name, value.dtype, dims]


@pytest.fixture(scope="module")
def recorded() -> dict[str, list[object]]:
    return rows.read()


def test_each_call_is_recorded(recorded: dict[str, list[object]]) -> None:
    assert sorted(recorded) == sorted(rows.calls())


@pytest.mark.parametrize("symbol", rows.argument_sets())
def test_a_row_says_what_tensorflow_says(
    symbol: str, recorded: dict[str, list[object]]
) -> None:
    for given in rows.argument_sets()[symbol]:
        line = f"{symbol}({given})"
        name, dtype, shape = _evaluated(line)
        expected = recorded[line]
        assert [dtype, shape] == expected[1:], line
        assert name == expected[0] or (name is None and symbol in _NAMELESS), line


def test_most_rows_are_called() -> None:
    known = len(ops.rows())
    assert len(list(rows.untold())) < 0.5 * known


@pytest.mark.parametrize(
    "change", [{"rule": rules.infer_no_shape}, {"name": "Total"}, {"dtype": "int32"}]
)
def test_a_fault_in_a_row_is_seen(
    change: dict[str, Any],
    recorded: dict[str, list[object]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wrong = dataclasses.replace(ops.rows()["tf.reduce_sum"], **change)
    label = registry.label_of("tf.reduce_sum")
    monkeypatch.setitem(
        registry.FUNCTIONS, label, functools.partial(ops.evaluate, wrong)
    )
    line = "tf.reduce_sum(x, 1)"
    assert _evaluated(line) != recorded[line]


def test_a_sample_is_asked_again(tf1: str, recorded: dict[str, list[object]]) -> None:
    lines = random.Random(15).sample(rows.calls(), _SAMPLE)
    assert rows.ask(tf1, lines) == {line: recorded[line] for line in lines}
