"""Moving averages that a step reads before any step has moved them."""

from __future__ import annotations

import types

import pytest

tf = pytest.importorskip("tensorflow")

from migrate.support import moving_averages  # noqa: E402


def test_a_step_that_only_reads_is_traced_first() -> None:
    """As a run that fetches the average may come before the run that trains."""
    strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
    replicas = types.SimpleNamespace(strategy=strategy)
    averages = moving_averages.ExponentialMovingAverage(replicas, 0.5)
    with strategy.scope():
        variable = tf.Variable(10.0, name="w")

    @tf.function
    def read():
        return strategy.run(lambda: averages.average(variable).read_value())

    @tf.function
    def train():
        def step():
            with tf.control_dependencies([variable.assign(2.0)]):
                return averages.apply([variable])

        strategy.run(step)

    assert float(read()) == 10.0
    train()
    assert float(read()) == 6.0
