"""Checks which functions that a Supervisor calls by time become the session's."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

PROGRAM = """\
import subprocess
import tensorflow as tf
def log_hook(sess, fetches, every=10, prefix="now"):
    values = sess.run(fetches)
    if values[0] % every == 0:
        print(prefix, values)
def train():
    x = tf.placeholder(tf.float32, [None, 3])
    w = tf.get_variable("w", [3, 1])
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
    norm = tf.norm(w)
    gs = tf.train.get_or_create_global_step()
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, gs)
    double = tf.assign(w, 2.0 * w)
    fetches = [gs, norm]
    sv = tf.train.Supervisor(logdir="logs", summary_op=None)
    with sv.managed_session() as sess:
        LOOP
        for batch in batches():
            sess.run(train_op, {x: batch})
train()
"""
# A loop -> what becomes of it; None where it is refused.
LOOPS = {
    "sv.loop(60, log_hook, (sess, fetches))": "def log_hook(): values = "
    'sess.run(compute_gs_and_norm) if values[0] % 10 == 0: print("now", values) '
    "sess.loop(60, log_hook)",
    "sv.loop(60, log_hook, (sess, [gs, norm], 5))": "if values[0] % 5 == 0:",
    "sv.loop(60, log_hook, (sess, fetches, batches()))": "def log_hook(every): values = "
    'sess.run(compute_gs_and_norm) if values[0] % every == 0: print("now", values) '
    "sess.loop(60, log_hook, (batches(),))",
    "sv.loop(60, log_hook, kwargs={'sess': sess, 'fetches': fetches})": None,
    "sv.loop(60, lambda: log_hook(sess, fetches))": "sess.loop(60, log_hook)",
    "sv.loop(60, lambda: log_hook(sess, fetches, batches()))": None,
    "sv.loop(60, lambda: print(sess.run(loss, {x: [[1.0, 2.0, 3.0]]})))": "sess.loop(60, "
    "lambda: print(sess.run(compute_loss, [[1.0, 2.0, 3.0]])))",
    "sv.loop(None, log_hook, (sess, fetches))": "sess.loop(None, log_hook)",
    "sv.loop(60, subprocess.run, ('true',))": None,
    "sv.loop(60, lambda: subprocess.run(['true']))": "sess.loop(60, lambda: subprocess",
    # Two of one function, and one that is called as well.
    "sv.loop(60, log_hook, (sess, fetches)); sv.loop(9, log_hook, (sess, fetches))": "sess"
    ".loop(9, log_hook)",
    "sv.loop(60, log_hook, (sess, fetches))\n        print(log_hook)": "def "
    "log_hook_by_time(): ",
    # What changes variables between any two steps.
    "sv.loop(60, lambda: sess.run(double))": None,
    "sv.loop(60, lambda: sess.run(train_op, {x: [[1.0, 2.0, 3.0]]}))": None,
}


def _migrated(loop: str, text: str = PROGRAM) -> tuple[str, set[str]]:
    new = migrate_text(text.replace("LOOP", loop))
    assert not any(f.outcome is Outcome.FAILED for f in new.findings)
    refused = {f.code for f in new.findings if f.outcome is Outcome.REFUSED}
    return " ".join(new.text.split()), refused


@pytest.mark.parametrize("loop", LOOPS)
def test_every_loop(loop: str) -> None:
    text, refused = _migrated(loop)
    expected = LOOPS[loop]
    if expected is None:
        assert "N120" in refused
    else:
        assert not refused and expected in text


def test_names_that_mean_something_else_are_refused() -> None:
    """The function's `norm` is the module's, not the graph's."""
    text = PROGRAM.replace("print(prefix, values)", "print(norm, values)")
    text = text.replace("import subprocess", "norm = 'norm'")
    assert "N120" in _migrated("sv.loop(60, log_hook, (sess, fetches))", text)[1]


def test_a_local_name_of_the_graph_is_another() -> None:
    text = PROGRAM.replace("values = sess.run(fetches)", "norm = sess.run(fetches)")
    text = text.replace("values", "norm")
    new, refused = _migrated("sv.loop(60, log_hook, (sess, fetches))", text)
    assert not refused and "norm_value = sess.run(compute_gs_and_norm)" in new


def test_a_parameter_that_becomes_its_value() -> None:
    text = PROGRAM.replace("values = sess.run(fetches)", "fetches = sess.run(fetches)")
    text = text.replace("values", "fetches")
    new, refused = _migrated("sv.loop(60, log_hook, (sess, fetches))", text)
    assert not refused and "fetches_value = sess.run(compute_gs_and_norm) if" in new


def test_an_argument_that_the_program_binds_again_stays_one() -> None:
    text = PROGRAM.replace("    fetches =", "    every = 5\n    fetches =")
    text = text.replace("        for batch", "        every = 7\n        for batch")
    new, refused = _migrated("sv.loop(60, log_hook, (sess, fetches, every))", text)
    assert not refused and "sess.loop(60, log_hook, (every,))" in new


SYNCHRONOUS = """\
import tensorflow as tf
def look(sess, loss):
    print(sess.run(loss))
cluster = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1", "c:1"]})
server = tf.train.Server(cluster, job_name=job, task_index=task)
if job == "ps":
    server.join()
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    x = tf.data.Dataset.range(9).repeat().batch(3).make_one_shot_iterator().get_next()
    w = tf.get_variable("w", [1])
    loss = tf.reduce_mean(tf.square(tf.cast(x, tf.float32) * w))
    gs = tf.train.get_or_create_global_step()
    optimizer = tf.train.SyncReplicasOptimizer(
        tf.train.GradientDescentOptimizer(0.1), 2, total_num_replicas=2)
    train_op = optimizer.minimize(loss, gs)
hook = optimizer.make_session_run_hook(task == 0)
sv = tf.train.Supervisor(is_chief=task == 0, logdir="logs", summary_op=None)
with sv.managed_session(server.target) as sess:
    sv.loop(60, look, (sess, FETCH))
    while not sv.should_stop():
        sess.run(train_op)
"""


def test_workers_in_step_take_no_batch_beside_it() -> None:
    text = SYNCHRONOUS.replace(
        "hook = optimizer.make_session_run_hook(task == 0)\n", ""
    )
    old = "queue = optimizer.get_chief_queue_runner()\n"
    tokens = "tokens = optimizer.get_init_tokens_op()\n"
    text = text.replace("sv = tf", old + tokens + "sv = tf")
    assert not _migrated("", text.replace("FETCH", "w"))[1]
    assert "N120" in _migrated("", text.replace("FETCH", "loss"))[1]


GIVEN = """\
import tensorflow as tf
class Model(object):
    def __init__(self):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.x = tf.placeholder(tf.float32, [None, 3])
            w = tf.get_variable("w", [3, 1])
            self.loss = tf.reduce_mean(tf.square(tf.matmul(self.x, w)))
            self.step = tf.train.get_or_create_global_step()
            self.train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
                self.loss, self.step)
def train(sv, sess, model):
    BODY
    for batch in batches():
        print(sess.run([model.train_op, model.loss], {model.x: batch})[1])
model = Model()
MORE
sv = tf.train.Supervisor(graph=model.graph, logdir="logs", summary_op=None)
with sv.managed_session() as sess:
    train(sv, sess, model)
"""
# What the function does first, what the program does more -> a code, or none.
FUNCTIONS = {
    ("print(sv.should_stop())", ""): "",
    ("sv.saver.save(sess, sv.save_path, global_step=sv.global_step)", ""): "",
    ("if sv.should_stop(): return", ""): "N120",  # It returns early.
    ("keep(sv)", "keep = print"): "N120",
    # Two objects, two graphs; another graph; another attribute.
    ("pass", "other = Model()"): "N120",
    ("pass", "other = tf.Graph()"): "N120",
    ("pass", "model.graph = None"): "N120",
}


@pytest.mark.parametrize("body, more", FUNCTIONS)
def test_a_function_that_is_given_the_supervisor(body: str, more: str) -> None:
    text, refused = _migrated("", GIVEN.replace("BODY", body).replace("MORE", more))
    expected = FUNCTIONS[body, more]
    assert expected in refused if expected else not refused
    assert bool(expected) or "From train:" in text
