"""Loops beside a session around nothing: which are taken, and which are refused."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

PROGRAM = """\
import tensorflow as tf
cluster = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1", "c:1"]})
with tf.compat.v1.train.MonitoredTrainingSession(master="grpc://b:1") as sess:
    pass
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.SGD(0.1)
for epoch in range(3):
    for i in range(9):
        x, y = rows(i)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x) - y) ** 2)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
"""


def codes(text: str, outcome: Outcome) -> set[str]:
    return {f.code for f in migrate_text(text).findings if f.outcome is outcome}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    pass\n", '    """Trains."""\n'),
        (" as sess", ""),
        ("MonitoredTrainingSession(", "MonitoredTrainingSession(is_chief=True, "),
        ("train.MonitoredTrainingSession(master=", "Session(target="),
        ("for i in range(9):\n        x, y = rows(i)", "for x, y in rows():"),
        (
            "        optimizer.apply",
            "        print(epoch, i)\n        optimizer.apply",
        ),
    ],
)
def test_is_taken(old: str, new: str) -> None:
    text = PROGRAM.replace(old, new)
    assert text != PROGRAM
    done = migrate_text(text)
    assert not codes(text, Outcome.REFUSED)
    assert "D149" in codes(text, Outcome.REWRITTEN)
    assert done.text.count("coordinator.schedule(distributed_step, args=(x, y))") == 1
    assert "\n    coordinator.join()\n" in done.text and not done.support
    assert "Session" not in done.text
    assert migrate_text(done.text).text == done.text


def test_servers_wait_and_everybody_else_coordinates() -> None:
    text = migrate_text(PROGRAM).text
    served = text.index('if task.get("type") in ("ps", "worker"):')
    assert served < text.index(").join()") < text.index("ParameterServerStrategy(")


def test_what_the_loop_reads_is_fetched() -> None:
    text = migrate_text(PROGRAM + "        print(loss.numpy())\n").text
    assert "loss = coordinator.schedule(distributed_step, args=(x, y)).fetch()" in text
    assert "print(loss)" in text and "coordinator.join()" not in text


NEAR = {
    "something runs in the session": (
        "    pass\n",
        "    sess.run(tf.constant(1))\n",
        "D125",
    ),
    "the session is used later": ("for epoch", "print(sess)\nfor epoch", "D125"),
    "the step depends on the epoch": ("- y) ** 2", "- y) ** epoch", "D125"),
    "a name of its own": ("model = ", "strategy = 1\nmodel = ", "N111"),
    "an older optimizer": ("optimizers.SGD", "optimizers.legacy.SGD", "D126"),
    "an optimizer that is not seen": (
        "tf.keras.optimizers.SGD(0.1)",
        "make()",
        "D126",
    ),
    "the jobs are not seen": ('{"ps": ["a:1"], "worker": ["b:1", "c:1"]}', "x", "D122"),
}


@pytest.mark.parametrize("name", NEAR)
def test_is_refused(name: str) -> None:
    old, new, code = NEAR[name]
    text = PROGRAM.replace(old, new, 1)
    assert text != PROGRAM
    assert code in codes(text, Outcome.REFUSED)
    assert "D149" not in codes(text, Outcome.REWRITTEN)
    assert "schedule" not in migrate_text(text).text


def test_a_share_of_the_loss_among_workers_alone() -> None:
    text = PROGRAM.replace('"ps": ["a:1"], ', "")
    done = migrate_text(text).text
    assert "/ strategy.num_replicas_in_sync" in done and "meet()" in done
    summed = migrate_text(text.replace("reduce_mean", "reduce_sum")).text
    assert "num_replicas_in_sync" not in summed
    unknown = text.replace(
        "tf.reduce_mean((model(x) - y) ** 2)", "measure(model(x), y)"
    )
    assert "D130" in codes(unknown, Outcome.REFUSED)
