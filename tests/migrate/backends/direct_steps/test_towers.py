"""Towers on one machine become replicas of a strategy, without an object for the session."""

from __future__ import annotations

import pathlib

import pytest

from migrate.compiler import migrate_text
from tests import ledger
from tests.migrate.backends import running

PROGRAM = """\
import numpy as np
import tensorflow as tf

N = 2
x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 1])
step = tf.train.get_or_create_global_step()
rate = tf.train.exponential_decay(0.1, step, 2, 0.5)
opt = tf.train.MomentumOptimizer(rate, 0.9)
xs, ys = tf.split(x, N), tf.split(y, N)
tower_grads, losses, outs = [], [], []
for i in range(N):
    with tf.device("/gpu:%d" % i), tf.variable_scope("net", reuse=tf.AUTO_REUSE):
        w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.3))
        b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
        out = tf.matmul(xs[i], w) + b
        loss = tf.reduce_mean(tf.square(out - ys[i]))
        losses.append(loss)
        outs.append(out)
        tower_grads.append(opt.compute_gradients(loss))
average = []
for pairs in zip(*tower_grads):
    grads = [g for g, _ in pairs if g is not None]
    if not grads:
        continue
    average.append((tf.reduce_mean(tf.stack(grads), 0), pairs[0][1]))
train_op = opt.apply_gradients(average, global_step=step)
mean = tf.add_n(losses) / N
error = tf.reduce_max(tf.abs(tf.concat(outs, 0) - y))
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for n in range(6):
        a = rng.rand(8, 3)
        feed = {x: a, y: a.sum(1, keepdims=True)}
        _, value, last = sess.run([train_op, mean, loss], feed)
        print(sess.run(step), "%.4f %.4f %.4f" % (value, last, sess.run(error, feed)))
"""
OUT = "out = tf.matmul(xs[i], w) + b"
# Name -> what stands in the program instead of its first line, and the line.
SPELLINGS = {
    "as_it_is": (OUT, OUT),
    "a_variable_without_gradient": (
        OUT,
        'unused = tf.get_variable("unused", [2])\n        ' + OUT,
    ),
    "sparse_gradients": (
        OUT,
        'table = tf.get_variable("table", [5, 1], '
        "initializer=tf.constant_initializer(0.2))\n"
        "        row = tf.cast(xs[i][:, 0] * 5, tf.int32)\n"
        f"        {OUT} + tf.nn.embedding_lookup(table, row)",
    ),
    "layers": (
        OUT,
        "h = tf.layers.dense(xs[i], 4, kernel_initializer="
        'tf.constant_initializer(0.2), name="h")\n'
        f"        {OUT} + tf.reduce_sum(h, 1, keepdims=True)",
    ),
    "a_loss_of_each": (
        "_, value, last = sess.run([train_op, mean, loss], feed)",
        "sess.run(train_op, feed)\n        value, last = sess.run(losses, feed)",
    ),
    "a_choice_in_the_graph": (
        "        losses.append",
        "        loss = tf.cond(loss > 0.1, lambda: 2 * loss, lambda: loss)\n"
        "        losses.append",
    ),
}
# Name -> a text of the migrated program, and what would be wrong there.
FAULTS = {
    "sum_for_mean": ("g / strategy.num_replicas_in_sync", "g"),
    "first_for_last": ("results(loss)[-1]", "results(loss)[0]"),
    "one_tower": ("tf.add_n(losses) / N", "losses[0]"),
}


def _migrate(old: str, new: str) -> str:
    assert PROGRAM.count(old) == 1
    done = migrate_text(PROGRAM.replace(old, new))
    assert not [f for f in done.findings if f.blocks]
    assert not done.support
    return done.text


@pytest.mark.parametrize("name", SPELLINGS)
def test_towers_compute_what_they_computed(
    name: str, tmp_path: pathlib.Path, tf1: str
) -> None:
    ledger.rests_on(ledger.COMPILER)
    old, new = SPELLINGS[name]
    text = _migrate(old, new)
    printed = running.print_both(tf1, PROGRAM.replace(old, new), text, tmp_path)
    assert printed[0].count("\n") == 6
    assert printed[0] == printed[1]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_noticed(fault: str, tmp_path: pathlib.Path, tf1: str) -> None:
    ledger.rests_on(ledger.COMPILER)
    text = _migrate(OUT, OUT)
    right, wrong = FAULTS[fault]
    assert right in text
    printed = running.print_both(tf1, PROGRAM, text.replace(right, wrong), tmp_path)
    assert printed[0].count("\n") == 6
    assert printed[0] != printed[1]


def test_the_strategy_is_in_the_program() -> None:
    text = _migrate(OUT, OUT)
    for part in (
        "strategy = tf.distribute.MirroredStrategy(tower_devices(N))\n",
        "with strategy.scope():\n",
        "    loss = strategy.run(tower_step, args=(x, y))\n",
        "    losses = strategy.experimental_local_results(loss)\n    mean = tf.add_n(",
        "aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA",
    ):
        assert part in text
    for part in ("session", "replicas.", "is not None"):
        assert part not in text
    # Of two steps with the same towers.
    text = _migrate(
        "mean, loss], feed)", "mean, loss], feed)\n        sess.run(mean, feed)"
    )
    assert "    loss = strategy.run(forward, args=(x, y))\n" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # After the update the variable has another value.
        ("mean = tf.add_n(losses) / N", "mean = tf.add_n(losses) + tf.nn.l2_loss(w)"),
        # The values of all towers are in a tuple.
        (
            "mean = tf.add_n(losses) / N",
            "mean = tf.add_n(losses + [tf.constant(0.0)]) / N",
        ),
        # An optimizer does not list the slots of a strategy's variables.
        ("rng = ", "saver = tf.train.Saver()\nrng = "),
        ("mean = ", 'tf.summary.scalar("rate", rate)\nmean = '),
    ],
)
def test_what_is_not_known_keeps_its_session(old: str, new: str) -> None:
    assert PROGRAM.count(old) == 1
    text = PROGRAM.replace(old, new)
    if "Saver" in new:
        text += '    saver.save(sess, "model")\n'
    if "summary" in new:
        text += "    print(len(sess.run(tf.summary.merge_all(), feed)))\n"
    done = migrate_text(text)
    assert not [f for f in done.findings if f.blocks]
    assert "plain_session.LocalReplicas" in done.text
