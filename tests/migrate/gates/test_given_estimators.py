"""A program that gives its Estimator to a library that the tool has not read is refused."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Finding, Outcome

PROGRAM = """\
import logging
import tensorflow as tf
from absl import logging as shown
import otherlib
from otherlib.running import Experiment, run
def model_fn(features, labels, mode):
    loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features, 1))
    train_op = tf.train.AdamOptimizer().minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
def input_fn():
    return tf.data.Dataset.from_tensors(([[1.]], [[1.]])).repeat()
def make():
    return tf.estimator.Estimator(model_fn)
estimator = make()
spec = tf.estimator.TrainSpec(input_fn, max_steps=3)
estimator.train(input_fn, steps=3)
GIVEN
"""


def _refuse(given: str) -> list[Finding]:
    done = migrate_text(PROGRAM.replace("GIVEN", given))
    assert not any(f.outcome is Outcome.FAILED for f in done.findings)
    found = [f for f in done.findings if f.outcome is Outcome.REFUSED]
    assert bool(found) is not bool(done.support)
    return [f for f in found if f.code != "N100"]


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ("Experiment(estimator, spec)", "Estimator"),
        ("otherlib.running.Experiment(make())", "Estimator"),
        ("Experiment(train=spec)", "TrainSpec"),
        ("run(tf.estimator.Estimator(model_fn))", "Estimator"),
        ("run([1, {'first': estimator}])", "Estimator"),
        (
            "config = tf.estimator.RunConfig() if spec else None\nrun(config)",
            "RunConfig",
        ),
    ],
)
def test_an_estimator_that_a_library_trains_is_refused(given: str, kind: str) -> None:
    """It was called migrated, and the library looked for tf.estimator."""
    (finding,) = _refuse(given)
    assert (finding.code, finding.line) == ("E117", 16 + given.count("\n") + 1)
    assert f"gives a `{kind}` to `" in finding.reason


@pytest.mark.parametrize(
    "given",
    [
        "print(estimator)",
        "logging.info('%s', estimator)",
        "shown.info('%s', estimator)",
        "run(estimator.model_dir)",
        "run(estimator.evaluate(input_fn, steps=1))",
        "run(input_fn, tf.estimator.ModeKeys.TRAIN)",
    ],
)
def test_what_no_library_trains_migrates(given: str) -> None:
    assert _refuse(given) == []
