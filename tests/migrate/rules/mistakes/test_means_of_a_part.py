"""D104 in more spellings: means of a replica's part that are mended, told, or left alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from reference import runner
from tests.migrate.rules.mistakes.test_mistake_spellings import (
    EACH,
    HELPED,
    LOOP,
    NONE,
    OF_A_PART,
    RUN,
    SHARED,
)

REPORT = (
    "for x, y in ds:\n"
    "    losses = strategy.run(step, args=(x, y))\n"
    "    print(strategy.reduce(tf.distribute.ReduceOp.MEAN, losses, axis=None))"
)


def test_a_mean_that_is_reported_is_the_sum_of_its_parts() -> None:
    program = LOOP % (SHARED, "", "tf.reduce_mean(tf.square(model(x) - y))", REPORT)
    done = migrate_text(program)
    found = {f.code: f.outcome for f in done.findings}
    assert found["D104"] is Outcome.REWRITTEN
    assert "tf.distribute.ReduceOp.SUM, losses" in done.text
    assert 'all_reduce("SUM", tf.shape(y)[0])' in done.text


def test_a_mean_that_is_reported_otherwise_is_told() -> None:
    """Divided, what the replicas return would be another number where it is averaged."""
    report = REPORT.replace("losses, axis", "tf.nest.map_structure(abs, losses), axis")
    program = LOOP % (SHARED, "", "tf.reduce_mean(tf.square(model(x) - y))", report)
    done = migrate_text(program)
    found = {f.code: f.outcome for f in done.findings}
    assert found["D104"] is Outcome.WARNED
    assert "num_replicas_in_sync" not in done.text.replace("# TODO", "")[:200]


def test_gradients_that_are_scaled_are_left_alone() -> None:
    program = LOOP % (SHARED, "", "tf.reduce_mean(tf.square(model(x) - y))", RUN)
    program = program.replace(
        "    opt.apply", "    g = [part / 2.0 for part in g]\n    opt.apply"
    )
    assert "D104" not in {f.code for f in migrate_text(program).findings}


@pytest.mark.parametrize(
    "old, new",
    [
        # Shown, or asked, beside the training: it would be another number.
        ("    return loss\n", "    seen.update_state(loss)\n"),
        ("    return loss\n", "    tf.print(loss)\n"),
        ("    return loss\n", "    return loss, x\n"),
        ("    return loss\n", "    return {'loss': loss}\n"),
        ("    return loss\n", "    if loss > 9.:\n        tf.print('large')\n"),
        # What the replicas return is not reduced, or is averaged by hand.
        (
            "    strategy.run(step, args=(x, y))",
            "    got = strategy.run(step, args=(x, y))\n"
            "    print(strategy.experimental_local_results(got))",
        ),
        (
            "strategy.run(step, args=(x, y))",
            "print(strategy.reduce('SUM', strategy.run(step, args=(x, y)), axis=None) / 2)",
        ),
        # Something divides already.
        ("    opt.apply", "    g = [part / 2.0 for part in g]\n    opt.apply"),
        ("SGD(0.1)", "SGD(0.1 / GPUS)"),
    ],
)
def test_a_mean_that_more_depends_on_is_told(old: str, new: str) -> None:
    program = LOOP % (SHARED, NONE, f"tf.reduce_mean({EACH})", RUN)
    assert old in program
    done = migrate_text(program.replace(old, new))
    (told,) = [f for f in done.findings if f.code == "D104"]
    assert told.outcome is Outcome.WARNED
    assert f"loss = tf.reduce_mean({EACH})" in done.text


@pytest.mark.parametrize(
    "run, returned",
    [
        ("step(tf.ones((4, 4)), tf.ones((4, 1)))", "    return loss"),
        ("for x, y in ds:\n    step(x, y)", "    tf.print(loss)"),
    ],
)
def test_a_mean_of_a_step_that_stays_local_is_told(run: str, returned: str) -> None:
    """Divided, and not run by the strategy, it would train less than before."""
    text = LOOP % (SHARED, NONE, f"tf.reduce_mean({EACH})", run)
    done = migrate_text(text.replace("    return loss", returned))
    found = {f.code: f.outcome for f in done.findings}
    assert found == {"D104": Outcome.WARNED, "D141": Outcome.WARNED}
    assert f"loss = tf.reduce_mean({EACH})" in done.text


def test_a_mean_that_a_function_shows_is_told() -> None:
    helped = (
        HELPED[0],
        "def of(out, y):\n    mean = tf.reduce_mean(lo(y, out))\n"
        "    seen.update_state(mean)\n    return mean\ndef step(x, y):\n",
    )
    text = (LOOP % (SHARED, NONE, "of(model(x), y)", RUN)).replace(*helped)
    outcomes = []
    for program in (text, text.replace("    seen.update_state(mean)\n", "")):
        found = {f.code: f.outcome for f in migrate_text(program).findings}
        outcomes.append(found["D104"])
    assert outcomes == [Outcome.WARNED, Outcome.REWRITTEN]


def test_a_sum_of_losses_that_nothing_divides_is_told() -> None:
    """It may be meant: the replicas' sums add up to the whole batch's."""
    done = migrate_text(LOOP % (SHARED, NONE, f"tf.reduce_sum({EACH})", RUN))
    (told,) = [f for f in done.findings if f.code == "D104"]
    assert told.outcome is Outcome.KEPT and "compute_average_loss" in told.recipe
    assert f"loss = tf.reduce_sum({EACH})" in done.text


# Runs programs, and says what weights their models have.
_RUN = """\
import json, sys
import tensorflow as tf

tf.config.set_logical_device_configuration(
    tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2
)
for program in json.loads(sys.stdin.read()):
    tf.keras.utils.set_random_seed(1)
    names = {}
    exec(program, names)
    print(json.dumps([float(tf.reduce_sum(w)) for w in names["model"].weights]))
"""


def test_mended_two_replicas_learn_what_one_learns() -> None:
    """The sums are divided by the size of a replica's part; float32."""
    new = [
        migrate_text(LOOP % (SHARED, NONE, loss, RUN)).text
        for loss in (OF_A_PART[0], OF_A_PART[-1])
    ]
    old = LOOP % (SHARED, NONE, OF_A_PART[0], RUN)
    alone = [text.replace(', "/cpu:1"', "") for text in (*new, old)]
    done = subprocess.run(
        [sys.executable, "-c", _RUN],
        input=json.dumps([*new, old, *alone]),
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
        env={**os.environ, **runner.ENVIRONMENT, "TF_USE_LEGACY_KERAS": "1"},
    )
    found = [json.loads(line) for line in done.stdout.splitlines()]
    for two, one in zip(found[:2], found[3:5], strict=True):
        assert two == pytest.approx(one, rel=1e-5, abs=1e-6)
    assert found[2] != pytest.approx(found[5], rel=1e-2)  # The mistake shows.
    assert found[3] == pytest.approx(
        found[5], rel=1e-5
    )  # One replica is left as it was.
