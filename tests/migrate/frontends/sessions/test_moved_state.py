"""Runs of a cluster that give what they change: slots, moving averages, BN's averages."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

CLUSTER = """\
cluster = tf.train.ClusterSpec({"ps": ["localhost:1"], "worker": ["localhost:2"]})
server = tf.train.Server(cluster, job_name=FLAGS.job, task_index=FLAGS.task)
if FLAGS.job == "ps":
    server.join()
"""
PROGRAM = """\
import numpy as np
import tensorflow as tf
tf.app.flags.DEFINE_string("job", "worker", "")
tf.app.flags.DEFINE_integer("task", 0, "")
FLAGS = tf.app.flags.FLAGS
CLUSTERwith tf.device(DEVICE):
    x = tf.placeholder(tf.float32, [None, 3])
    step = tf.train.get_or_create_global_step()
    w = tf.get_variable("w", [3, 4])
    MADE
    loss = tf.reduce_mean(tf.square(h))
    opt = tf.train.MomentumOptimizer(0.1, 0.9)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train = opt.minimize(loss, global_step=step)
    LATER
with tf.train.MonitoredTrainingSession(TARGET) as sess:
    for _ in range(3):
        RUN
"""
MATMUL = "h = tf.matmul(x, w)"
SLOT = "m = opt.get_slot(w, 'momentum')"
AVERAGED = (
    "averages = tf.train.ExponentialMovingAverage(0.9)\n"
    "    with tf.control_dependencies([train]):\n"
    "        moved = averages.apply([w])\n"
    "    m = averages.average(w)"
)
NORMALISED = (
    "h = tf.layers.batch_normalization(tf.matmul(x, w), training=True, name='bn')\n"
    "    g = tf.layers.batch_normalization(\n"
    "        tf.matmul(x, w), training=False, name='bn', reuse=True)"
)
FEED = "{x: np.ones([2, 3])}"
BESIDE = f"print(sess.run([train, m], {FEED})[1])"
APART = f"sess.run(train, {FEED})\n        print(sess.run(m))"


def _write_program(made: str, later: str, run: str, clustered: bool = True) -> str:
    text = PROGRAM.replace("CLUSTER", CLUSTER if clustered else "")
    text = text.replace("TARGET", "server.target, FLAGS.task == 0" if clustered else "")
    device = "tf.train.replica_device_setter(cluster=cluster)" if clustered else "None"
    text = text.replace("DEVICE", device).replace("MADE", made)
    return text.replace("LATER", later).replace("RUN", run)


def _refused(made: str, later: str, run: str, clustered: bool = True) -> set[str]:
    migration = migrate_text(_write_program(made, later, run, clustered))
    refused = {f.code for f in migration.findings if f.outcome is Outcome.REFUSED}
    return refused - {"N100"}


@pytest.mark.parametrize(
    ("later", "run"),
    [
        (SLOT, BESIDE),
        (SLOT + "\n    m = tf.reduce_sum(m)", BESIDE),
        (AVERAGED, BESIDE.replace("train", "moved")),
        (AVERAGED + " * 2.0", BESIDE.replace("train", "moved")),
    ],
)
def test_what_a_run_changes_is_not_given_beside(later: str, run: str) -> None:
    """TensorFlow 1.15.5's servers gave the value before the change, in 12 of 12 steps."""
    assert _refused(MATMUL, later, run) == {"S136"}


PAIRS = "m = opt.compute_gradients(loss)\n    train = opt.apply_gradients(m, step)"
CLIPPED = PAIRS.replace("train =", "m = [(tf.sign(g), v) for g, v in m]\n    train =")


@pytest.mark.parametrize(
    ("later", "given", "refused"),
    [
        (PAIRS, "m", True),
        (PAIRS, "m[0]", True),
        (PAIRS, "m[0][1]", True),
        (PAIRS, "m[0][0]", False),
        (CLIPPED, "m", True),
        (PAIRS + "\n    g = [g for g, _ in m]", "g", False),
    ],
)
def test_variables_beside_gradients(later: str, given: str, refused: bool) -> None:
    run = BESIDE.replace("train, m", f"train, {given}")
    assert ("S136" in _refused(MATMUL, later, run)) is refused


@pytest.mark.parametrize("later", [SLOT, AVERAGED])
def test_a_run_of_its_own_gives_it(later: str) -> None:
    run = APART.replace("train", "moved") if later is AVERAGED else APART
    assert not _refused(MATMUL, later, run)


@pytest.mark.parametrize("given", ["m", "m[0]", "m[0][1]"])
@pytest.mark.parametrize("later", [PAIRS, CLIPPED])
def test_a_run_of_its_own_gives_pairs(later: str, given: str) -> None:
    """The gradients of the run are computed, and nothing is applied."""
    run = f"print(sess.run({given}, {FEED}))\n        sess.run(train, {FEED})"
    assert not _refused(MATMUL, later, run)


SHARED = (
    "s = tf.get_variable('net/s', [])\n"
    "    with tf.variable_scope('net', reuse=True):\n"
    "        again = tf.get_variable('s', [])\n    "
)
STATE = AVERAGED + (
    "\n    slot = opt.get_slot(w, 'momentum')\n    norm = tf.reduce_sum(tf.square(slot))"
)


@pytest.mark.parametrize(
    ("made", "later", "update", "reads"),
    [
        (MATMUL, STATE, "moved", ["m", "slot", "[slot, norm]", "norm", "[m, step]"]),
        (MATMUL, CLIPPED, "train", ["m", "m[0][1]", "[m, loss]"]),
        (SHARED + NORMALISED, "g = g * again", "train", ["g", "[g, again, step]"]),
    ],
)
def test_reads_in_other_runs_than_the_update_are_migrated(
    made: str, later: str, update: str, reads: list[str]
) -> None:
    """Such programs gave TensorFlow 1.15.5's values, bit for bit, on a ps and a worker."""
    runs = [f"print(sess.run({read}, {FEED}))" for read in reads]
    run = "\n        ".join([runs[0], f"sess.run({update}, {FEED})", *runs])
    assert not _refused(made, later, run)
    assert "strategy.scope()" in migrate_text(_write_program(made, later, run)).text


def test_one_process_gives_it() -> None:
    assert "S136" not in _refused(MATMUL, SLOT, BESIDE, clustered=False)


def test_a_run_does_not_normalise_by_averages_that_it_moves() -> None:
    run = f"print(sess.run([train, g], {FEED})[1])"
    apart = f"sess.run(train, {FEED})\n        print(sess.run(g, {FEED}))"
    assert _refused(NORMALISED, "", run) == {"L123"}
    assert not _refused(NORMALISED, "", apart)
    other = NORMALISED.replace("name='bn', reuse=True", "name='other'")
    assert not _refused(other, "", run)
