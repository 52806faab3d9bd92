"""Mistakes of workers in TensorFlow 1, in the spellings of programs; and their right forms."""

from __future__ import annotations

import ast

import pytest

from migrate.facts.scopes import Scopes
from migrate.rules import mistakes

PROGRAM = """\
import sys, numpy as np, random
import tensorflow as tf
flags = tf.app.flags
flags.DEFINE_string("ps_hosts", "localhost:2222", "Comma-separated hosts")
flags.DEFINE_string("worker_hosts", "localhost:2223,localhost:2224", "Comma-separated hosts")
flags.DEFINE_string("job_name", "", "")
flags.DEFINE_integer("task_index", 0, "")
FLAGS = flags.FLAGS
def main(_):
    ps_hosts = FLAGS.ps_hosts.split(",")
    worker_hosts = FLAGS.worker_hosts.split(",")
    cluster = tf.train.ClusterSpec({"ps": ps_hosts, "worker": worker_hosts})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    else:
        @PRE@
        with tf.device(tf.train.replica_device_setter(worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster)):
            x = tf.placeholder(tf.float32, [None, 4])
            y = tf.placeholder(tf.float32, [None, 1])
            global_step = tf.train.get_or_create_global_step()
            pred = tf.layers.dense(x, 1)
            loss = tf.reduce_mean(tf.square(pred - y))
            opt = @OPT@
            train_op = opt.minimize(loss, global_step=global_step)
            init_op = tf.global_variables_initializer()
        data_x = np.ones((100, 4), np.float32)
        data_y = np.ones((100, 1), np.float32)
        @SESSION@
            @BEGIN@
            @LOOP@
if __name__ == "__main__":
    tf.app.run()
"""
SESSION = (
    "with tf.train.MonitoredTrainingSession(master=server.target, "
    "is_chief=(FLAGS.task_index == 0)) as sess:"
)
PLAIN = "with tf.Session(server.target) as sess:"
RUN = "sess.run(train_op, feed_dict={x: data_x[:8], y: data_y[:8]})"
EACH = "\n                    sess.run(train_op, {x: data_x[idx : idx + 1]})"
SETTER = 'worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster'
STEPS = "while not sess.should_stop():\n                "


def codes(
    before: str = "pass",
    optimizer: str = "tf.train.GradientDescentOptimizer(0.1)",
    session: str = SESSION,
    begin: str = "pass",
    loop: str = STEPS + RUN,
    setter: str = SETTER,
) -> set[str]:
    """The mistakes of a program of two workers, in which one thing is written otherwise."""
    assert SETTER in PROGRAM
    text = PROGRAM.replace(SETTER, setter)
    for name, part in {
        "PRE": before,
        "OPT": optimizer,
        "SESSION": session,
        "BEGIN": begin,
        "LOOP": loop,
    }.items():
        assert f"@{name}@" in text
        text = text.replace(f"@{name}@", part)
    return {m.code for m in mistakes.find(Scopes(ast.parse(text)), text)}


def test_the_program_makes_none() -> None:
    assert not codes()


CHIEF = "is_chief=(FLAGS.task_index == 0)"


@pytest.mark.parametrize(
    ("test", "wrong"),
    [
        ('FLAGS.job_name == "worker"', True),
        ("True if FLAGS.task_index >= 0 else False", True),
        ("FLAGS.task_index is not None", True),
        ("bool(FLAGS.task_index)", True),
        ("chief()", True),
        ('FLAGS.job_name == "chief"', True),
        ("True if FLAGS.task_index == 0 else False", False),
        ("int(FLAGS.task_index) == 0", False),
        ("first()", False),
        ("unknown(FLAGS.task_index)", False),
    ],
)
def test_the_chief(test: str, wrong: bool) -> None:
    helpers = (
        "def chief():\n            return FLAGS.job_name == 'worker'\n"
        "        def first():\n            return FLAGS.task_index == 0"
    )
    found = codes(helpers, session=SESSION.replace(CHIEF, f"is_chief={test}"))
    assert ("D111" in found) == wrong


@pytest.mark.parametrize(
    ("begin", "wrong"),
    [
        ("sess.run(init_op)", True),
        ("sess.run([init_op, tf.local_variables_initializer()])", True),
        ("sess.run(tf.group(init_op, tf.local_variables_initializer()))", True),
        ("sess.run(tf.variables_initializer(tf.global_variables()))", True),
        ("init_op.run(session=sess)", True),
        ('if FLAGS.job_name == "worker":\n                sess.run(init_op)', True),
        ("if FLAGS.task_index == 0:\n                sess.run(init_op)", False),
        ("if FLAGS.fresh:\n                sess.run(init_op)", False),
        ("sess.run(tf.local_variables_initializer())", False),
        ("sess.run(tf.variables_initializer([global_step]))", False),
    ],
)
@pytest.mark.parametrize(
    "target", ["server.target", '"grpc://" + worker_hosts[FLAGS.task_index]']
)
def test_initial_values(begin: str, wrong: bool, target: str) -> None:
    found = codes(session=PLAIN.replace("server.target", target), begin=begin, loop=RUN)
    assert ("D112" in found) == wrong


@pytest.mark.parametrize(
    ("before", "loop", "told"),
    [
        ("np.random.seed(0)", "idx = np.random.choice(100, 8)", True),
        ("np.random.seed(0)", "idx = np.random.randint(0, 100, size=8)", True),
        ("random.seed(7)", "idx = random.sample(range(100), 8)", True),
        (
            "SEED = 7\n        random.seed(SEED)",
            "idx = random.choices(rows, k=8)",
            True,
        ),
        ("rng = np.random.RandomState(4)", "idx = rng.randint(0, 100, 8)", True),
        (
            "n = 3\n        d = tf.data.Dataset.range(9).shuffle(9, seed=n)",
            "idx = 0",
            True,
        ),
        ("np.random.seed(FLAGS.task_index)", "idx = np.random.choice(100, 8)", False),
        (
            "np.random.seed(7 + FLAGS.task_index)",
            "idx = np.random.permutation(9)",
            False,
        ),
        (
            "np.random.seed(7)",
            "idx = 0\n                w = np.random.choice([0, 1])",
            False,
        ),
        ("pass", "idx = np.random.choice(100, 8)", False),
        # What is iterated, of a generator without a name.
        ("pass", "for idx in np.random.RandomState(0).permutation(100):" + EACH, True),
        (
            "order = np.random.RandomState(0).permutation(100)",
            "for idx in order:" + EACH,
            True,
        ),
        (
            "rows = []\n        for i in np.random.RandomState(0).permutation(9):\n"
            "            rows.append(data_x[i])",
            "idx = 0",
            True,
        ),
        (
            "random.seed(None)",
            "for idx in random.Random(3).sample(rows, 9):" + EACH,
            True,
        ),
        (
            "order = np.random.RandomState(FLAGS.task_index).permutation(100)",
            "for idx in order:" + EACH,
            False,
        ),
        (
            "for i in np.random.RandomState(0).permutation(9):\n            print(i)",
            "idx = 0",
            False,
        ),
        (
            "order = np.random.RandomState(0).permutation(100)",
            "for idx in order[FLAGS.task_index::2]:" + EACH,
            False,
        ),
        (
            "np.random.seed(7)\n        order = np.random.permutation(100)\n"
            "        mine = order[FLAGS.task_index::len(worker_hosts)]",
            "idx = mine",
            False,
        ),
        (
            "np.random.seed(7)\n        order = np.random.permutation(100)\n"
            "        mine = [i for i in order if i % 2 == FLAGS.task_index]",
            "idx = mine",
            False,
        ),
    ],
)
def test_one_seed(before: str, loop: str, told: bool) -> None:
    run = "\n                sess.run(train_op, {x: data_x[idx], y: data_y[idx]})"
    assert ("D143" in codes(before, loop=STEPS + loop + run)) == told


@pytest.mark.parametrize(
    ("master", "wrong"),
    [("''", True), ("None", True), ("nothing", True), ("target", False)],
)
def test_a_session_without_a_server(master: str, wrong: bool) -> None:
    before = "nothing = ''\n        target = server.target"
    found = codes(before, session=SESSION.replace("server.target", master))
    assert ("D144" in found) == wrong


@pytest.mark.parametrize(
    ("given", "warned"),
    [
        ("cluster=cluster", False),
        ("2", False),
        ("**given", False),
        ("", True),
        ("0", True),
        ("cluster=None", True),
        ("worker_device='/job:worker/task:0'", True),
    ],
)
def test_a_device_setter_without_parameter_servers(given: str, warned: bool) -> None:
    assert ("C111" in codes(setter=given)) == warned


@pytest.mark.parametrize(
    ("wanted", "more"),
    [
        ("len(worker_hosts) + 1", True),
        ("twice", True),
        ("n + len(ps_hosts)", True),
        ("tasks", True),
        ("n + cluster.num_tasks('ps')", True),
        ("n", False),
        ("len(worker_hosts)", False),
        ("n - 1", False),
        ("max(1, n - 1)", False),
        ("n + extra", False),
    ],
)
@pytest.mark.parametrize("total", ["n", "len(worker_hosts)"])
def test_more_gradients_than_workers(wanted: str, more: bool, total: str) -> None:
    before = (
        "n = len(worker_hosts)\n        twice = n * 2\n"
        "        tasks = n + len(ps_hosts)\n        extra = FLAGS.extra"
    )
    optimizer = (
        "tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.1), "
        f"replicas_to_aggregate={wanted}, total_num_replicas={total})"
    )
    assert ("D145" in codes(before, optimizer)) == more


FETCH = "_, step = sess.run([train_op, global_step], {x: data_x[:8], y: data_y[:8]})"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (FETCH + "\nrow = data_x[step % 100]", True),
        (FETCH + "\nstart = (step * 8) % 100\nrows = data_x[start:start + 8]", True),
        (FETCH + "\nrows = batch(step)", True),
        (
            RUN
            + "\nstep = tf.train.global_step(sess, global_step)\nrow = data_x[step]",
            True,
        ),
        (FETCH + "\nlocal = local + 1\nrow = data_x[local]", False),
        (FETCH + "\nrate = rates[step // 100]", False),
        (FETCH + "\nepoch = step // 100\nrate = rates[epoch]", False),
        (FETCH + "\nif step % 100 == 0:\n    print(step)", False),
        (FETCH + "\nlosses[step] = 1.0", False),
        (FETCH.replace("_, step", "_, local_step"), True),
        (FETCH.replace("_, step", "_, locals_step"), False),
    ],
)
def test_the_global_step(body: str, told: bool) -> None:
    before = "def batch(k):\n            return data_x[k * 8:(k + 1) * 8]"
    loop = "while not sess.should_stop():\n" + "\n".join(
        " " * 16 + line for line in body.split("\n")
    )
    assert ("D147" in codes(before, loop=loop)) == told


def test_a_client_by_address_is_no_worker() -> None:
    session = PLAIN.replace("server.target", '"grpc://" + worker_hosts[0]')
    assert "D112" not in codes(session=session, begin="sess.run(init_op)", loop=RUN)
