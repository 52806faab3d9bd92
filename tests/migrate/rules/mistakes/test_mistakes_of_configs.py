"""Mistakes in TF_CONFIG, in what a run gives at once, in queues, and in sessions of the chief."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Finding, Outcome
from tests.migrate.rules.mistakes.test_mistake_spellings import TF

CONFIG = f"""\
import json
import os
{TF}%s
strategy = tf.distribute.%s
"""
MULTI = "MultiWorkerMirroredStrategy()"
SERVERS = (
    "ParameterServerStrategy(\n"
    "    tf.distribute.cluster_resolver.TFConfigClusterResolver())"
)
TASK = '"task": {"type": "worker", "index": 0}'


def _found(text: str, code: str) -> list[Finding]:
    return [f for f in migrate_text(text).findings if f.code == code]


@pytest.mark.parametrize(
    ("config", "mended"),
    [
        (
            'os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": "a:1,b:1"}, %s})',
            '{"worker": ["a:1", "b:1"]}',
        ),
        (
            'hosts = os.environ["HOSTS"]\n'
            'config = {"cluster": {"worker": hosts}, %s}\n'
            'os.environ["TF_CONFIG"] = json.dumps(config)',
            '{"worker": hosts.split(",")}',
        ),
        (
            'cluster = {"worker": ["a:1,b:1"]}\n'
            'os.environ["TF_CONFIG"] = json.dumps({"cluster": cluster, %s})',
            'cluster = {"worker": ["a:1", "b:1"]}',
        ),
    ],
)
def test_hosts_in_one_string(config: str, mended: str) -> None:
    text = CONFIG % (config.replace("%s", TASK), MULTI)
    assert [f.outcome for f in _found(text, "D101")] == [Outcome.REWRITTEN]
    assert mended in migrate_text(text).text


@pytest.mark.parametrize(
    "config",
    [
        'os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": ["a:1", "b:1"]}, %s})',
        # No cluster of TensorFlow's: nothing here speaks of TF_CONFIG.
        'settings = {"cluster": {"worker": "a:1,b:1"}}',
    ],
)
def test_hosts_in_lists(config: str) -> None:
    assert not _found(CONFIG % (config.replace("%s", TASK), MULTI), "D101")


@pytest.mark.parametrize(
    ("config", "strategy", "mended"),
    [
        (
            'os.environ[\'TF_CONFIG\'] = \'{"cluster": {"worker": ["a:1"], "ps": ["b:1"]}, %s}\'',
            MULTI,
            '\'{"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 0}}\'',
        ),
        (
            'os.environ["TF_CONFIG"] = json.dumps({"cluster": '
            '{"worker": ["a:1"], "ps": ["b:1"], "evaluator": ["c:1"]}, %s})',
            SERVERS,
            '{"worker": ["a:1"], "ps": ["b:1"]}',
        ),
        (
            'cluster = {"worker": ["a:1"], "ps": ["b:1"]}\n'
            'cluster["evaluator"] = ["c:1"]\n'
            'os.environ["TF_CONFIG"] = json.dumps({"cluster": cluster, %s})',
            SERVERS,
            None,
        ),
        (
            'cluster = dict(worker=["a:1"])\nhosts = {"worker": ["a:1"]}\n'
            'hosts["ps"] = ["b:1"]',
            MULTI,
            None,
        ),
    ],
)
def test_a_task_that_nobody_answers(
    config: str, strategy: str, mended: str | None
) -> None:
    text = CONFIG % (config.replace("%s", TASK), strategy)
    outcome = Outcome.WARNED if mended is None else Outcome.REWRITTEN
    assert [f.outcome for f in _found(text, "D146")] == [outcome]
    if mended is not None:
        assert mended in migrate_text(text).text


@pytest.mark.parametrize(
    "config",
    [
        # The evaluator's own process.
        'os.environ["TF_CONFIG"] = \'{"cluster": {"worker": ["a:1"], "ps": ["b:1"]}, '
        '"task": {"type": "ps", "index": 0}}\'',
        'ports = {"web": 80}\nports["ps"] = 2222',
        'text = "the cluster has ps tasks"',
    ],
)
def test_what_is_no_such_task(config: str) -> None:
    assert not _found(CONFIG % (config.replace("%s", TASK), MULTI), "D146")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("# Async data parallelism: every GPU updates on its own.\n%s", True),
        ("# Data-parallel training, asynchronous, on all workers.\n%s", True),
        ('if mode == "async":\n    %s', True),
        ('if flags.update == "Asynchronous":\n    %s', True),
        ("# Loads the data asynchronously for all replicas.\n%s", False),
        ('if mode == "async":\n    pass\nelse:\n    %s', False),
        ('if mode != "async":\n    %s', False),
    ],
)
def test_what_is_said_of_mirrored_replicas(text: str, told: bool) -> None:
    made = "strategy = tf.distribute.MirroredStrategy()"
    assert bool(_found(TF + text % made + "\n", "D140")) is told


WORKER = """\
import tensorflow as tf
flags = tf.app.flags
flags.DEFINE_string("ps_hosts", "", "")
flags.DEFINE_string("worker_hosts", "", "")
flags.DEFINE_string("job_name", "", "")
flags.DEFINE_integer("task_index", 0, "")
FLAGS = flags.FLAGS
worker_hosts = FLAGS.worker_hosts.split(",")
cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","), "worker": worker_hosts})
server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
if FLAGS.job_name == "ps":
    server.join()
is_chief = FLAGS.task_index == 0
data = [float(i) for i in range(100)]
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    x = tf.placeholder(tf.float32, [])
    w = tf.get_variable("w", [], initializer=tf.constant_initializer(4.0))
    global_step = tf.train.get_or_create_global_step()
    loss = tf.square(w * x)
    train_op = tf.train.GradientDescentOptimizer(0.25).minimize(loss, global_step=global_step)
with tf.train.MonitoredTrainingSession(master=server.target, is_chief=is_chief) as sess:
    step = 0
    while step < 10:
        results = sess.run({"train": train_op, "step": global_step}, {x: 1.0})
        step = results["step"]
"""
OPENED = "tf.train.MonitoredTrainingSession(master=server.target, is_chief=is_chief)"


@pytest.mark.parametrize(
    "opened",
    [
        "tf.train.SingularMonitoredSession(master=server.target)",
        "tf.train.MonitoredSession(tf.train.ChiefSessionCreator(master=server.target))",
        OPENED.replace("is_chief)", "FLAGS.task_index == len(worker_hosts))"),
    ],
)
def test_who_is_chief(opened: str) -> None:
    assert not _found(WORKER, "D111")
    text = WORKER.replace(OPENED, opened)
    assert [f.outcome for f in _found(text, "D111")] == [Outcome.REWRITTEN]
    assert "is_chief=task_index == 0" in migrate_text(text).text


def test_the_chief_by_its_creator() -> None:
    creators = (
        "tf.train.ChiefSessionCreator(master=server.target) if is_chief "
        "else tf.train.WorkerSessionCreator(master=server.target)"
    )
    text = WORKER.replace(OPENED, f"tf.train.MonitoredSession({creators})")
    assert not _found(text, "D111")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("{x: 1.0}", "{x: data[step]}", True),
        ('results["step"]\n', 'results["step"] + 1\n        print(data[step])\n', True),
        ('{"train": train_op, "step": global_step}', "[train_op, global_step]", False),
        (
            'results["step"]\n',
            'results["step"]\n        print(results["train"])\n',
            False,
        ),
        ('results["step"]\n', "step + 1\n        print(data[step])\n", False),
    ],
)
def test_the_global_step_among_results(old: str, new: str, told: bool) -> None:
    assert WORKER.count(old) == 1
    text = WORKER.replace(old, new)
    assert bool(_found(text, "D147")) is told


def test_the_global_step_of_a_list() -> None:
    text = WORKER.replace(
        '{"train": train_op, "step": global_step}', "[train_op, global_step]"
    )
    text = text.replace('results["step"]', "results[1]").replace(
        "{x: 1.0}", "{x: data[step]}"
    )
    assert _found(text, "D147")
    assert not _found(
        text.replace("[train_op, global_step]", "[train_op, loss]"), "D147"
    )


READ = """\
    files = tf.train.string_input_producer(["a.csv", "b.csv"]%s)
    _, line = tf.TextLineReader().read(files)
    x, _ = tf.train.batch(tf.decode_csv(line, [[0.0], [0.0]]), batch_size=4)
    x = tf.reduce_mean(x)
"""
SLICES = """\
    a, = tf.train.slice_input_producer([tf.range(10.0)]%s)
    x = tf.reduce_mean(tf.train.batch([a], batch_size=4))
"""


@pytest.mark.parametrize("form", [READ, SLICES])
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (", seed=3", True),
        (", shuffle=True, seed=3", True),
        (", shuffle=False, seed=3", False),
        ("", False),
        (", seed=FLAGS.task_index", False),
    ],
)
def test_the_seed_of_a_queue(form: str, arguments: str, told: bool) -> None:
    text = WORKER.replace("    x = tf.placeholder(tf.float32, [])\n", form % arguments)
    text = text.replace(", {x: 1.0})", ")")
    found = _found(text, "D143")
    assert [f.outcome for f in found] == [Outcome.KEPT] * told


ESTIMATOR = """\
import json
import os
import numpy as np
import tensorflow as tf

task = json.loads(os.environ["TF_CONFIG"]).get("task", {})
index = task.get("index", 0)


def part():
    return index + 1


def model_fn(features, labels, mode, config):
    w = tf.get_variable("w", [2, 1])
    loss = tf.reduce_mean(tf.square(tf.matmul(features, w) - labels))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
        loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn(config):
    x = np.ones([8, 2], np.float32)
    rows = tf.data.Dataset.from_tensor_slices((x, x[:, :1]))
    return rows.shard(3, config.global_id_in_cluster).repeat().batch(4)


estimator = tf.estimator.Estimator(model_fn)
estimator.train(input_fn, max_steps=10)
print(index)
"""


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("config.global_id_in_cluster", "config.global_id_in_cluster", None),
        ("config.global_id_in_cluster", "index", 25),
        ("config.global_id_in_cluster", "part()", 11),
        ("config.global_id_in_cluster", 'task["index"]', 25),
        ("features, w)", "features, w) * index", 16),
        ("x = np.ones([8, 2]", "index = 0\n    x = np.ones([8 - index, 2]", None),
    ],
)
def test_a_function_that_finds_out_which_task_it_is_in(
    old: str, new: str, line: int | None
) -> None:
    assert ESTIMATOR.count(old) == 1
    found = _found(ESTIMATOR.replace(old, new), "D169")
    assert [f.line for f in found] == ([] if line is None else [line])
    assert all(f.outcome is Outcome.WARNED for f in found)


def test_the_flag_that_tf_config_is_made_of() -> None:
    text = ESTIMATOR.replace(
        'task = json.loads(os.environ["TF_CONFIG"]).get("task", {})\nindex = task.get("index", 0)',
        "FLAGS = tf.app.flags.FLAGS\n"
        'task = {"type": FLAGS.job, "index": FLAGS.index}\n'
        'os.environ["TF_CONFIG"] = json.dumps({"cluster": {}, "task": task})\nindex = 0',
    )
    assert not _found(text, "D169")
    asks = text.replace("config.global_id_in_cluster", "FLAGS.index")
    assert [f.code for f in _found(asks, "D169")] == ["D169"]
