"""Programs that mean what others mean, and are written otherwise: each is migrated."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

FLAGS = """\
import numpy as np
import tensorflow as tf
flags = tf.app.flags
flags.DEFINE_string("ps_hosts", "", "")
flags.DEFINE_string("worker_hosts", "", "")
flags.DEFINE_string("job_name", "", "")
flags.DEFINE_integer("task_index", 0, "")
FLAGS = flags.FLAGS
cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                "worker": FLAGS.worker_hosts.split(",")})
"""

GRAPH = """\
    x = tf.placeholder(tf.float32, [None, 3])
    w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
    step = tf.train.get_or_create_global_step()
    op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
"""

SUPERVISED = (
    "import tensorflow as tf\n\ndef run(sv, context, x, loss, op):\n"
    '    tf.logging.info("runs")\n'
    "    with context as sess:\n"
    "        for i in range(5):\n"
    "            print(sess.run([loss, op], {x: [[1.0, 2.0, 3.0]]})[0])\n\n"
    "def main():\n"
    + GRAPH
    + "    sv = tf.train.Supervisor(logdir='log', global_step=step)\n"
    "    context = sv.prepare_or_wait_for_session()\n"
    "    try:\n"
    "        run(sv, context, x, loss, op)\n"
    "    except KeyboardInterrupt:\n"
    "        sv.stop()\n\nmain()\n"
)

TRIED = (
    "import tensorflow as tf\n\ndef main():\n" + GRAPH + "    try:\n"
    "        with tf.train.MonitoredTrainingSession(checkpoint_dir='log') as sess:\n"
    "            for i in range(5):\n"
    "                print(sess.run([loss, op], {x: [[1.0, 2.0, 3.0]]})[0])\n"
    "    except KeyboardInterrupt:\n"
    "        print('stopped')\n\nmain()\n"
)

OBJECTS = """\
import numpy as np
import tensorflow as tf

class Rows(object):
    def __init__(self, width):
        self.width = width

    def fed(self):
        return tf.placeholder(tf.float32, [None, self.width])

class Net(object):
    def __init__(self, x, reuse):
        with tf.variable_scope("net", reuse=reuse):
            w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
        self.loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))

x = Rows(3).fed(); v = Rows(3).fed()
net = Net(x, None); tested = Net(v, True)  # Both of one network.
op = tf.train.GradientDescentOptimizer(0.1).minimize(net.loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer()); rows = np.ones((2, 3))
    for i in range(5):
        print(sess.run([net.loss, op], {x: rows})[0], sess.run(tested.loss, {v: rows}))
"""

SERVERS = (
    FLAGS
    + """
def main(_):
    if FLAGS.job_name == "ps":
        server = tf.train.Server(cluster, "ps", FLAGS.task_index,
                                 config=tf.ConfigProto(device_filters=["/job:ps"]))
        server.join()
    else:
        server = tf.train.Server(cluster, "worker", FLAGS.task_index,
                                 config=tf.ConfigProto(inter_op_parallelism_threads=2))
        with tf.device(tf.train.replica_device_setter(
                worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster)):
"""
    + GRAPH.replace("    ", " " * 12)
    + """
        with tf.train.MonitoredTrainingSession(server.target, FLAGS.task_index == 0) as sess:
            for i in range(5):
                print(sess.run([loss, op], {x: [[1.0, 2.0, 3.0]]})[0])

tf.app.run()
"""
)

CREATORS = (
    FLAGS
    + """
server = tf.train.Server(cluster, FLAGS.job_name, FLAGS.task_index)
if FLAGS.job_name == "ps":
    server.join()
with tf.device(tf.train.replica_device_setter(
        worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster)):
"""
    + GRAPH
    + """
hooks = [tf.train.StopAtStepHook(9)]
if FLAGS.task_index == 0:
    creator = tf.train.ChiefSessionCreator(master=server.target)
    hooks.append(tf.train.CheckpointSaverHook("log", save_steps=4))
else:
    creator = tf.train.WorkerSessionCreator(master=server.target)
with tf.train.MonitoredSession(session_creator=creator, hooks=hooks) as sess:
    while not sess.should_stop():
        print(sess.run([loss, op], {x: [[1.0, 2.0, 3.0]]})[0])
"""
)

SYNCHRONOUS = (
    CREATORS.replace(
        "tf.train.GradientDescentOptimizer(0.1).minimize",
        "tf.train.SyncReplicasOptimizer(tf.train.MomentumOptimizer(rate, 0.9),\n"
        "        replicas_to_aggregate=2, total_num_replicas=2)",
    )
    .replace("(loss, global_step=step)", "")
    .replace(
        "    op =", "    rate = tf.train.exponential_decay(0.1, step, 3, 0.9)\n    op ="
    )
    .replace("    op = tf", "    optimizer = tf")
    .replace(
        "total_num_replicas=2)",
        "total_num_replicas=2)\n    op = optimizer.minimize(loss, global_step=step)",
    )
    .replace(
        "StopAtStepHook(9)]",
        "StopAtStepHook(9), optimizer.make_session_run_hook(FLAGS.task_index == 0)]",
    )
)

TAKEN = {
    "a Supervisor's session that a function enters": (
        SUPERVISED,
        'try: # From run: tf.compat.v1.logging.info("runs") with training_session.',
    ),
    "a monitored session in a try": (TRIED, "try: with training_session."),
    "objects in shared lines": (OBJECTS, "compute_tested_loss(rows).numpy()"),
    "servers configured by task": (SERVERS, '(device_filters=["/job:ps"]) if FLAGS.'),
    "creators beside hooks": (CREATORS, "is_chief=task_index == 0"),
    "an optimizer made within another": (SYNCHRONOUS, "MomentumOptimizer(rate, 0.9)"),
}


@pytest.mark.parametrize("way", TAKEN)
def test_it_is_migrated(way: str) -> None:
    text, expected = TAKEN[way]
    new = migrate_text(text)
    loud = [f for f in new.findings if f.outcome in (Outcome.REFUSED, Outcome.FAILED)]
    assert not loud
    assert expected in " ".join(new.text.split())


LEFT = {
    # The session would begin anew in each round.
    "a loop in a try": TRIED.replace(
        "        with tf", "        for _ in range(2):\n         with tf"
    ),
    # An error of the start would be caught that was not.
    "another error than an interrupt": SUPERVISED.replace(
        "KeyboardInterrupt", "OSError"
    ),
    # Only the chief has what its creator is given.
    "a creator of what its branch makes": CREATORS.replace(
        "    creator = tf.train.ChiefSessionCreator(master",
        "    scaffold = tf.train.Scaffold()\n"
        "    creator = tf.train.ChiefSessionCreator(scaffold, master",
    ),
}


@pytest.mark.parametrize("way", LEFT)
def test_it_is_left(way: str) -> None:
    new = migrate_text(LEFT[way])
    assert any(f.outcome is Outcome.REFUSED for f in new.findings)
    assert not any(f.outcome is Outcome.FAILED for f in new.findings)


PINNED = (
    FLAGS
    + """
server = tf.train.Server(cluster, FLAGS.job_name, FLAGS.task_index)
if FLAGS.job_name == "ps" or FLAGS.task_index > 0:
    server.join()
x = tf.placeholder(tf.float32, [None, 3])
with tf.device("/job:ps/task:0"):
    w = tf.Variable(tf.zeros([3, 1]), name="w")
with tf.device("/job:worker/task:1"):
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
step = tf.Variable(0, trainable=False)
op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
with tf.Session(TARGET) as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(5):
        print(sess.run([op, loss, step], {x: [[1.0, 2.0, 3.0]]}))
"""
)


def test_a_client_of_servers_gets_the_step_from_before() -> None:
    """TensorFlow 1.15.5 gave it so in 50 of 50 runs, wherever the variable was."""
    new = migrate_text(PINNED.replace("TARGET", "server.target"))
    assert not any(f.outcome is Outcome.REFUSED for f in new.findings)
    flat = " ".join(new.text.split())
    assert "step_value = step.read_value() with tf.GradientTape() as tape" in flat


def test_a_refused_loop_over_towers_is_named_at_its_line() -> None:
    text = PINNED.replace(
        "op = tf.train.GradientDescentOptimizer(0.1).minimize(",
        "grads = []\n"
        "for i in range(2):\n"
        "    with tf.device('/job:worker/task:%d' % i):\n"
        "        grads.append(tf.gradients(loss, [w])[0])\n"
        "op = w.assign_sub(0.1 * tf.add_n(grads))\n"
        "print(",
    ).replace("TARGET", "server.target")
    new = migrate_text(text)
    line = next(f.line for f in new.findings if f.code == "N126")
    assert text.split("\n")[line - 1] == "for i in range(2):"
    assert migrate_text(new.text).text == new.text
