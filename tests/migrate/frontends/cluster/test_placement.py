"""Graphs placed on tasks by hand: kept for one client, a strategy for the usual split."""

from __future__ import annotations

import pathlib
import sys

import pytest

from migrate.beside import files as beside
from migrate.compiler import migrate_text
from migrate.findings import Outcome
from reference import processes, runner

CLIENT = """
import argparse
import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
for name in ("job_name", "ps_hosts", "worker_hosts", "dir"):
    parser.add_argument("--" + name)
parser.add_argument("--task_index", type=int)
FLAGS = parser.parse_args()
cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                "worker": FLAGS.worker_hosts.split(",")})

def serve():
    server = tf.train.Server(cluster, FLAGS.job_name, FLAGS.task_index)
    server.join()

def train():
    with tf.device("/job:ps/task:1"):
        w = tf.get_variable("w", initializer=np.ones([3, 1], "float32"))
    x = tf.placeholder(tf.float32, [None, 3])
    with tf.device("/job:worker/task:1"):
        y = tf.matmul(x, w)
        loss = tf.reduce_mean(tf.square(y))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session("grpc://" + FLAGS.worker_hosts.split(",")[0]) as sess:
        sess.run(tf.global_variables_initializer())
        with open(FLAGS.dir + "/loss", "w") as log:
            for step in range(4):
                value, _ = sess.run([loss, train_op], {x: [[1.0, 2.0, 3.0]]})
                print(float(value), file=log)

if FLAGS.job_name == "client":
    train()
else:
    serve()
"""


# A result of a function stays on the device that has computed it.
TOLD = """
    with open(FLAGS.dir + "/where", "w") as where:
        for value in train_step.function(tf.ones([1, 3])):
            print(value.device, file=where)
"""
CALLED = 'if FLAGS.job_name == "client":'


def codes(text: str) -> dict[str, Outcome]:
    return {f.code: f.outcome for f in migrate_text(text).findings}


def test_a_client_keeps_its_placement() -> None:
    migration = migrate_text(CLIENT)
    assert not [f for f in migration.findings if f.outcome is Outcome.REFUSED]
    assert codes(CLIENT)["C130"] is Outcome.REWRITTEN
    assert "tf.config.experimental_connect_to_cluster(cluster)" in migration.text
    assert 'with tf.device("/job:ps/task:1"):' in migration.text
    assert 'with tf.device("/job:worker/task:1"):' in migration.text
    again = migrate_text(migration.text)
    assert again.text == migration.text and not again.findings


@pytest.mark.parametrize("task", [0, 1])
def test_what_computes_where(task: int, tmp_path: pathlib.Path) -> None:
    """The tasks are what the program names, also where it names others."""
    text = migrate_text(CLIENT).text
    text = text.replace("/job:worker/task:1", f"/job:worker/task:{task}")
    text = text.replace(CALLED, TOLD + "\n" + CALLED)
    program = tmp_path / "program.py"
    program.write_text(text)
    beside.write(tmp_path, text)
    processes.run_tasks(
        sys.executable,
        program,
        [f"--dir={tmp_path}"],
        tmp_path / "logs",
        ps=2,
        workers=2,
        client=True,
        environment=runner.ENVIRONMENT,
        timeout=180,
        preloaded=True,
    )
    losses = [float(line) for line in (tmp_path / "loss").read_text().splitlines()]
    # By hand: the product of w and (1, 2, 3) is multiplied by 1 - 0.2 * 14 every step.
    assert losses == pytest.approx([36 * (1 - 2.8) ** (2 * i) for i in range(4)])
    where = (tmp_path / "where").read_text()
    assert where.startswith(f"/job:worker/replica:0/task:{task}/"), where


REFUSED = {
    "no addresses": (
        "C131",
        'tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),\n'
        '                                "worker": FLAGS.worker_hosts.split(",")})',
        "dict(ps=FLAGS.ps_hosts.split(','), worker=FLAGS.worker_hosts.split(','))",
    ),
    "a client per task": (
        "C131",
        '"/job:worker/task:1"',
        '"/job:worker/task:%d" % FLAGS.task_index',
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_client_that_is_not_certain(what: str) -> None:
    code, old, new = REFUSED[what]
    assert CLIENT.count(old) == 1
    text = CLIENT.replace(old, new)
    assert codes(text)[code] is Outcome.REFUSED
    kept = [x for x in migrate_text(text).text.split("\n") if "TODO(tf1to2)" not in x]
    assert kept == text.split("\n")


SPLIT = (
    pathlib.Path(__file__).parents[3] / "programs" / "clustered" / "pinned_split.py"
).read_text()
OWN = 'tf.device("/job:worker/task:%d" % FLAGS.task_index)'


@pytest.mark.parametrize(
    "own",
    [
        'tf.device(f"/job:worker/task:{FLAGS.task_index}/cpu:0")',
        'tf.device("/job:worker/task:{}".format(FLAGS.task_index))',
        'tf.device("/job:worker/task:" + str(FLAGS.task_index))',
        'tf.device("job:worker/replica:0/task:%d/device:CPU:0" % (FLAGS.task_index,))',
    ],
)
def test_the_usual_split(own: str) -> None:
    migration = migrate_text(SPLIT.replace(OWN, own))
    assert migration.text == migrate_text(SPLIT).text
    assert "ParameterServerStrategy" in migration.text
    assert codes(SPLIT)["C111"] is Outcome.REWRITTEN


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (OWN, 'tf.device("/job:worker/task:0")'),
        (OWN, 'tf.device("/job:worker/task:%d" % (1 - FLAGS.task_index))'),
        (OWN, 'tf.device("/job:worker/task:%d/gpu:1" % FLAGS.task_index)'),
        (
            '        w = tf.Variable(tf.zeros([5, 1]), name="w")\n',
            '        w = tf.Variable(tf.zeros([5, 1]), name="w")\n        z = tf.exp(w)\n',
        ),
        ("/job:ps/task:0/cpu:0", "/job:worker/task:0/cpu:0"),
    ],
)
def test_another_split_is_no_strategy(old: str, new: str) -> None:
    assert SPLIT.count(old) == 1
    text = SPLIT.replace(old, new)
    assert codes(text)["C115"] is Outcome.REFUSED
    assert "strategy" not in migrate_text(text).text


TOWERS = (
    CLIENT.replace(
        "def train():",
        "def average(towers):\n"
        "    return [(tf.add_n([g for g, _ in p]) / len(p), p[0][1]) for p in zip(*towers)]\n\n"
        "def train():",
    )
    .replace(
        '    with tf.device("/job:worker/task:1"):',
        "    towers = []\n    for i in range(2):",
    )
    .replace(
        "        y = tf.matmul(x, w)",
        '      with tf.device("DEVICE"):\n        y = x @ w',
    )
    .replace(
        "    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)",
        "        towers.append(opt.compute_gradients(loss))\n"
        "    train_op = opt.apply_gradients(average(towers))",
    )
    .replace("    towers = []", "    opt = tf.train.AdamOptimizer()\n    towers = []")
)


def test_towers_of_a_client_on_tasks() -> None:
    """Their devices are kept; see tests/programs/test_task_towers.py."""
    text = TOWERS.replace('"DEVICE"', '"/job:worker/task:%d" % i')
    assert codes(text)["N128"] is Outcome.REWRITTEN
    assert not [f for f in migrate_text(text).findings if f.outcome is Outcome.REFUSED]


def test_towers_of_a_client_elsewhere_are_refused() -> None:
    """On the server's own devices they would be this process's replicas."""
    text = TOWERS.replace('"DEVICE"', '"/gpu:%d" % i')
    assert codes(text)["N126"] is Outcome.REFUSED
    assert "strategy = " not in migrate_text(text).text


BY_A_TASK = (
    CLIENT.replace("def serve():\n    server", "server")
    .replace("    server.join()\n\ndef train", "def train")
    .replace('"grpc://" + FLAGS.worker_hosts.split(",")[0]', "server.target")
    .replace(
        'if FLAGS.job_name == "client":\n    train()\nelse:\n    serve()\n',
        'if FLAGS.job_name == "worker" and FLAGS.task_index == 0:\n    train()\n'
        "else:\n    server.join()\n",
    )
)


def test_a_task_that_is_the_only_client_keeps_its_placement() -> None:
    migration = migrate_text(BY_A_TASK)
    assert not [f for f in migration.findings if f.outcome is Outcome.REFUSED]
    assert "# This task is also the only client of the cluster." in migration.text
    assert 'with tf.device("/job:worker/task:1"):' in migration.text
    others = BY_A_TASK.replace(" and FLAGS.task_index == 0", "")
    assert others != BY_A_TASK
    assert codes(others)["C115"] is Outcome.REFUSED


def test_a_supervisor_s_session_is_on_the_server_too() -> None:
    session = "tf.Session(server.target, config=config)"
    assert SPLIT.count(session) == 1
    made = "sv = tf.train.Supervisor(is_chief=is_chief, init_op=init_op)\n    rng ="
    text = SPLIT.replace("rng =", made, 1).replace(
        session, "sv.prepare_or_wait_for_session(server.target, config=config)"
    )
    begin, end = (
        text.index("        if is_chief:\n            sess"),
        text.index("        step = 0"),
    )
    assert codes(text[:begin] + text[end:])["C111"] is Outcome.REWRITTEN


@pytest.mark.parametrize(
    "update", ["print(w)", "w = w + 1.0", "update_w = w.read_value()"]
)
def test_what_else_is_pinned_to_a_server_is_not_the_usual_split(update: str) -> None:
    old = "update_w = w.assign_sub(0.05 * gradients[0])"
    assert SPLIT.count(old) == 1
    assert codes(SPLIT.replace(old, update))["C115"] is Outcome.REFUSED


@pytest.mark.parametrize(
    "made",
    [
        "own = tf.Variable(0.0)",
        "own = tf.train.get_or_create_global_step()",
        "own = tf.layers.dense(x, 1)",
        "own = make_own()",
    ],
)
def test_a_variable_of_each_worker_is_not_the_usual_split(made: str) -> None:
    """The setter would have them share one."""
    helper = "\ndef make_own():\n    return tf.get_variable('own', [])\n\ndef main():"
    text = SPLIT.replace("\ndef main():", helper)
    old = "        y = tf.placeholder(tf.float32, [None, 1])\n"
    assert text.count(old) == 1
    assert codes(text)["C111"] is Outcome.REWRITTEN
    found = codes(text.replace(old, f"{old}        {made}\n"))
    assert "C111" not in found and Outcome.REFUSED in found.values()
