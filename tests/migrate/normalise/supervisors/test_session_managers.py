"""Session managers used by themselves: read as a session, or as a Supervisor's; or refused."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

HEAD = """\
import numpy as np
import tensorflow as tf

cluster = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1", "c:1"]})
server = tf.train.Server(cluster, job_name=job_name, task_index=task_index)
if job_name == "ps":
    server.join()
is_chief = task_index == 0
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    x = tf.placeholder(tf.float32, [None, 2])
    w = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
    train_op = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
    init_op = tf.global_variables_initializer()
    saver = tf.train.Saver()
"""
MANAGED = """\
manager = tf.train.SessionManager(recovery_wait_secs=1)
if is_chief:
    sess = manager.prepare_session(
        server.target, init_op=init_op, saver=saver, checkpoint_dir="d")
else:
    sess = manager.wait_for_session(server.target)
"""
SUPERVISED = """\
supervisor = tf.train.Supervisor(
    is_chief=is_chief, logdir="d", init_op=init_op, saver=saver, summary_op=None,
    save_model_secs=0)
sess = supervisor.prepare_or_wait_for_session(server.target)
"""
LOOP = """\
for step in range(10):
    _, value = sess.run([train_op, loss], feed_dict={x: np.ones([4, 2])})
    print(value)
"""


def test_a_chief_that_prepares_is_a_supervisor() -> None:
    managed = migrate_text(HEAD + MANAGED + LOOP)
    assert managed.text == migrate_text(HEAD + SUPERVISED + LOOP).text
    assert "MonitoredTrainingSession" in managed.text
    told = {f.symbol for f in managed.findings if f.code == "S115"}
    assert told and not any("Supervisor" in symbol for symbol in told)
    # The control: one that saves is another program.
    saving = SUPERVISED.replace("save_model_secs=0", "save_model_secs=600")
    assert managed.text != migrate_text(HEAD + saving + LOOP).text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("init_op=init_op, ", "init_op=init_op, wait_for_checkpoint=True, "),
        ("init_op=init_op, ", "init_op=init_op, init_feed_dict={x: start}, "),
        ("init_op=init_op, ", ""),
        ("wait_for_session(server.target)", "wait_for_session(other)"),
        ("recovery_wait_secs=1", "graph=another"),
        (
            "    sess = manager.wait_for",
            "    time.sleep(1)\n    sess = manager.wait_for",
        ),
        ("else:", "    manager.recover_session(server.target)\nelse:"),
    ],
)
def test_a_manager_that_does_more_is_refused(old: str, new: str) -> None:
    assert MANAGED.count(old) == 1
    text = "import time\n" + HEAD + MANAGED.replace(old, new) + LOOP
    migration = migrate_text(text)
    assert any(f.outcome is Outcome.REFUSED for f in migration.findings)
    changed = [x for x in migration.text.split("\n") if "TODO(tf1to2)" not in x]
    assert changed == text.split("\n")


def test_an_empty_directory_is_not_looked_into() -> None:
    """TensorFlow 1 restored nothing where it was given none, or an empty one."""
    alone = (
        HEAD[: HEAD.index("cluster")]
        + HEAD[HEAD.index("    x = ") :].replace("    ", "")
        + "manager = tf.train.SessionManager()\n"
        'sess = manager.prepare_session("", init_op=init_op, saver=saver, '
        "checkpoint_dir=directory)\n" + LOOP
    )
    text = migrate_text(alone).text
    assert "tf.train.latest_checkpoint(directory) if directory else None" in text
    none = migrate_text(alone.replace("=directory", "=''")).text
    assert "restore" not in none and "latest_checkpoint" not in none
    assert "@tf.function" in none
