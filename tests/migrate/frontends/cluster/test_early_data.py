"""Datasets that are made before the server of a program that trains in step.

A worker whose process has computed before its strategy is made fails ("Collective ops must
be configured at program startup"), and the others wait for it.
"""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

PROGRAM = """\
import numpy as np
import tensorflow as tf
from numpy.random import rand

flags = tf.app.flags
flags.DEFINE_string("ps_hosts", "", "")
flags.DEFINE_string("worker_hosts", "", "")
flags.DEFINE_string("job_name", "", "")
flags.DEFINE_integer("task_index", 0, "")
FLAGS = flags.FLAGS


def load():
    rows = np.ones((8, 3), np.float32)
    return tf.data.Dataset.from_tensor_slices(rows).repeat().batch(4)


def main(_):
    is_chief = FLAGS.task_index == 0
    {dataset}
    {batch}
    cluster = tf.train.ClusterSpec(
        {"ps": FLAGS.ps_hosts.split(","), "worker": FLAGS.worker_hosts.split(",")})
    server = tf.train.Server(
        cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    with tf.device(tf.train.replica_device_setter(
            cluster=cluster, worker_device="/job:worker/task:%d" % FLAGS.task_index)):
        step = tf.train.get_or_create_global_step()
        w = tf.get_variable("w", [3, 1])
        loss = tf.reduce_mean(tf.square(tf.matmul(batch, w) - 1.0))
        opt = tf.train.SyncReplicasOptimizer(
            tf.train.GradientDescentOptimizer(0.1),
            replicas_to_aggregate=2, total_num_replicas=2)
        train_op = opt.minimize(loss, global_step=step)
    hooks = [opt.make_session_run_hook(is_chief), tf.train.StopAtStepHook(10)]
    with tf.train.MonitoredTrainingSession(
            master=server.target, is_chief=is_chief, hooks=hooks) as sess:
        while not sess.should_stop():
            sess.run(train_op)


if __name__ == "__main__":
    tf.app.run()
"""
_BATCH = "batch = dataset.make_one_shot_iterator().get_next()"


@pytest.mark.parametrize(
    "dataset",
    [
        "dataset = tf.data.Dataset.from_tensors(np.ones((4, 3), np.float32)).repeat()",
        "dataset = load()",
        "rows = load(); dataset = rows.prefetch(1)",
    ],
)
def test_the_strategy_of_workers_comes_first(dataset: str) -> None:
    program = PROGRAM.replace("{dataset}", dataset).replace("{batch}", _BATCH)
    text = migrate_text(program).text
    main = text[text.index("def main(") :]
    made, strategy = main.index("dataset = "), main.index("strategy = ")
    assert strategy < made < main.index("with strategy.scope()")
    # What is no dataset stays where it was.
    assert main.index("is_chief = ") < strategy


@pytest.mark.parametrize(
    ("dataset", "order"),
    [
        # What it is made of is changed, bound anew, drawn on.
        ("x = np.zeros((8, 3), np.float32); MADE(x); x += 5.0", ["MADE(x)", "x += 5.0"]),
        ("x = np.zeros((8, 3), np.float32); MADE(x); np.random.shuffle(x)",
         ["MADE(x)", "np.random.shuffle(x)"]),
        ("n = 8; MADE(np.ones((n, 3))); n = 2", ["MADE(np.ones((n, 3)))", "n = 2"]),
        ("rng = np.random.RandomState(1); MADE(rng.rand(8, 3)); y = rng.rand()",
         ["MADE(rng.rand(8, 3))", "y = rng.rand()"]),
        ("MADE(np.random.rand(8, 3)); y = np.random.rand()",
         ["MADE(np.random.rand(8, 3))", "y = np.random.rand()"]),
        ("MADE(rand(8, 3)); y = rand(3)", ["MADE(rand(8, 3))", "y = rand(3)"]),
        # Another name holds it, too.
        ("x = np.zeros((8, 3)); z = x[1:]; MADE(x); z += 5.0", ["MADE(x)", "z += 5.0"]),
        ("x = np.zeros((8, 3)); z = x[1:]; MADE(z); x[0] = 5.0",
         ["MADE(z)", "x[0] = 5.0"]),
        # A method makes it.
        ("data = Data(); dataset = data.made(); data.rows = 3",
         ["data = Data()", "dataset = data.made()", "data.rows = 3"]),
    ],
)  # fmt: skip
def test_what_changes_with_it_comes_after_it(dataset: str, order: list[str]) -> None:
    make = "dataset = tf.data.Dataset.from_tensor_slices"
    method = PROGRAM.replace(
        "def main(",
        "class Data(object):\n    def made(self):\n        return load()\n\n\ndef main(",
    )
    lines = dataset.replace("MADE", make).replace("; ", "\n    ")
    program = method.replace("{dataset}", lines).replace("{batch}", _BATCH)
    text = migrate_text(program).text
    main = text[text.index("strategy = ") :]
    places = [main.index(f"    {line.replace('MADE', make)}\n") for line in order]
    assert places == sorted(places)


@pytest.mark.parametrize(
    "dataset",
    [
        "dataset = load(); index = 1 if dataset is None else 0",
        "index = 0; dataset = load().take(index); index = FLAGS.task_index",
    ],
)
def test_what_the_server_needs_of_it_is_refused(dataset: str) -> None:
    lines = dataset.replace("; ", "\n    ")
    program = PROGRAM.replace("{dataset}", lines).replace("{batch}", _BATCH)
    program = program.replace("task_index=FLAGS.task_index)", "task_index=index)")
    found = migrate_text(program).findings
    assert "C101" in {f.code for f in found if f.outcome is Outcome.REFUSED}


def test_with_servers_it_stays() -> None:
    program = PROGRAM.replace("{dataset}", "dataset = load()").replace(
        "{batch}", _BATCH
    )
    a, b = program.index("        opt = "), program.index("        train_op")
    program = program.replace(program[a:b], "        opt = tf.train.AdamOptimizer()\n")
    program = program.replace("opt.make_session_run_hook(is_chief), ", "")
    text = migrate_text(program).text
    assert "ParameterServerStrategy(" in text
