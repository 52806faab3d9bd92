"""Loops beside a session around nothing: which are taken, and which are refused."""

from __future__ import annotations

import textwrap

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
    assert "D113" in codes(text, Outcome.REWRITTEN)
    assert done.text.count("coordinator.schedule(distributed_step, args=(x, y))") == 1
    assert "\n    coordinator.join()\n" in done.text and not done.support
    assert "Session" not in done.text
    assert migrate_text(done.text).text == done.text


def _wrap(text: str, name: str = "train") -> str:
    head, rest = text.split("\n", 1)
    return f"{head}\ndef {name}():\n{textwrap.indent(rest, '    ')}\n{name}()\n"


def _inside(text: str) -> str:
    head, rest = text.split("    pass\n")
    return head + textwrap.indent(rest, "    ")


OPENED = 'with tf.compat.v1.train.MonitoredTrainingSession(master="grpc://b:1") as sess:\n    pass\n'
SERVER = 'server = tf.train.Server(cluster, job_name="worker", task_index=0)\n'
ONE_JOB = PROGRAM.replace('"ps": ["a:1"], ', "")
SHAPES = {
    "a function": _wrap(PROGRAM),
    "a function with a guard": _wrap(PROGRAM, "main").replace(
        "\nmain()", '\nif __name__ == "__main__":\n    main()'
    ),
    "the session's block": _inside(PROGRAM),
    "the block in a function": _wrap(_inside(PROGRAM)),
    "a session that takes no cluster": _inside(
        PROGRAM.replace('"grpc://b:1"', '"grpc://", cluster=cluster')
    ),
    "no session": PROGRAM.replace(OPENED, ""),
    "no session, in a function": _wrap(PROGRAM.replace(OPENED, "")),
    "no session, workers alone": ONE_JOB.replace(OPENED, ""),
    "a server of one task": ONE_JOB.replace(OPENED, SERVER),
    "a server of one task, in a function": _wrap(ONE_JOB.replace(OPENED, SERVER)),
    "a server of one task, of compat.v1": PROGRAM.replace(
        OPENED, SERVER.replace("tf.train", "tf.compat.v1.train")
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_is_taken_in_other_shapes(shape: str) -> None:
    text = SHAPES[shape]
    done = migrate_text(text)
    assert not codes(text, Outcome.REFUSED) | codes(text, Outcome.WARNED)
    assert "D159" in codes(text, Outcome.REWRITTEN)
    assert "Session" not in done.text and "tf.train.Server" not in done.text
    assert "Strategy(" in done.text and "TF_CONFIG" in done.text
    assert migrate_text(done.text).text == done.text


FLAGGED = (
    "server = tf.train.Server(cluster, job_name=FLAGS.job, task_index=FLAGS.index)\n"
    'if FLAGS.job == "ps":\n    server.join()\n'
)


def test_a_server_that_nothing_uses_and_that_tells_the_tasks_is_refused() -> None:
    """Every process would go on to train a model of its own, without a word."""
    text = PROGRAM.replace(OPENED, FLAGGED)
    assert "D121" in codes(text, Outcome.REFUSED)
    # Its recipe.
    assert not codes(text.replace(FLAGGED, ""), Outcome.REFUSED)
    # A control: a strategy's own servers, and other processes that are connected by hand.
    for other in (
        "strategy = tf.distribute.ParameterServerStrategy(cluster)\n",
        "tf.config.experimental_connect_to_cluster(cluster)\n",
    ):
        text = PROGRAM.replace(OPENED, FLAGGED + other)
        assert "D121" not in codes(text, Outcome.REFUSED)


FIT = """\
import tensorflow as tf
cluster = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1", "c:1"]})
SESSION
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))])
model.compile("sgd", "mse")
model.fit(x, y)
"""


@pytest.mark.parametrize("jobs", ['"ps": ["a:1"], ', ""])
def test_a_fit_beside_a_cluster_is_its_strategys(jobs: str) -> None:
    plain = FIT.replace("SESSION\n", "").replace('"ps": ["a:1"], ', jobs)
    opened = FIT.replace("SESSION", OPENED).replace('"ps": ["a:1"], ', jobs)
    for text in (plain, opened, _inside(opened), _wrap(plain), _wrap(_inside(opened))):
        done = migrate_text(text)
        assert not codes(text, Outcome.REFUSED), text
        assert {"D153", "D159"} <= codes(text, Outcome.REWRITTEN)
        assert "fits.fit(model, x, y)" in done.text
        assert migrate_text(done.text).text == done.text
    used = _inside(opened).replace("    model.fit", "    sess.run(y)\n    model.fit")
    assert codes(used, Outcome.REFUSED)


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
    "an older optimizer": ("optimizers.SGD", "optimizers.legacy.SGD", "D125"),
    "an optimizer that is not seen": (
        "tf.keras.optimizers.SGD(0.1)",
        "make()",
        "D125",
    ),
    "the jobs are not seen": ('{"ps": ["a:1"], "worker": ["b:1", "c:1"]}', "x", "D121"),
}


@pytest.mark.parametrize("name", NEAR)
def test_is_refused(name: str) -> None:
    old, new, code = NEAR[name]
    text = PROGRAM.replace(old, new, 1)
    assert text != PROGRAM
    assert code in codes(text, Outcome.REFUSED)
    assert "D113" not in codes(text, Outcome.REWRITTEN)
    assert "schedule" not in migrate_text(text).text


def test_a_share_of_the_loss_among_workers_alone() -> None:
    text = PROGRAM.replace('"ps": ["a:1"], ', "")
    done = migrate_text(text).text
    share = 'global_batch_size=tf.distribute.get_replica_context().all_reduce("SUM", '
    assert share in done and "meet()" in done
    summed = migrate_text(text.replace("reduce_mean", "reduce_sum")).text
    assert "global_batch_size" not in summed
    unknown = text.replace(
        "tf.reduce_mean((model(x) - y) ** 2)", "measure(model(x), y)"
    )
    assert "D125" in codes(unknown, Outcome.REFUSED)
