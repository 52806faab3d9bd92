"""Each worker computes the steps of its own loop, worker 0's in its own process.

A step tells which process computes it: the first thread of a process has its number.
"""

from __future__ import annotations

import json
import pathlib
import sys

import pytest

pytest.importorskip("tensorflow")

from reference import processes, runner  # noqa: E402

THREADS = pathlib.Path("/proc/self/task")

PROGRAM = """
import json, os, sys
import tensorflow as tf
import training_session

flags = tf.compat.v1.app.flags
for name in ("job_name", "ps_hosts", "worker_hosts"):
  flags.DEFINE_string(name, None, "")
flags.DEFINE_integer("task_index", 0, "")
FLAGS = flags.FLAGS
FLAGS(sys.argv)

cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                "worker": FLAGS.worker_hosts.split(",")})
server = tf.distribute.Server(
    cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index,
    config=training_session.server_config())
print("process", os.getpid(), flush=True)
if FLAGS.job_name == "ps":
  server.join()
if FLAGS.task_index != 0:
  training_session.serve(server)
strategy = tf.distribute.ParameterServerStrategy(
    tf.distribute.cluster_resolver.SimpleClusterResolver(cluster, rpc_layer="grpc"))
replicas = training_session.AsynchronousReplicas(strategy, cluster)

with strategy.scope(), replicas.recording():
  global_step = training_session.create_global_step()
  table = tf.Variable([[0.0, 0.0]] * 3, name="table")

  @replicas.step_function(tf.TensorSpec([None], tf.int32))
  def train_step(rows):
    table.scatter_add(tf.IndexedSlices(tf.ones([1, 2]), rows))
    global_step.assign_add(1)
    return tf.gather(table, rows), tf.io.matching_files("/proc/self/task/*")


def run_worker(task_index):
  with training_session.MonitoredTrainingSession(
      replicas, is_chief=task_index == 0) as sess:
    for step in range(4):
      value, threads = sess.run(train_step, [task_index])
      assert value.tolist() == [[step + 1.0] * 2], value
      print("computed", json.dumps([
          task_index, min(int(t.rpartition(b"/")[2]) for t in threads)]), flush=True)


replicas.run(run_worker)
"""


def _computed(program: str, directory: pathlib.Path) -> list[set[int]]:
    """Of each worker, the workers whose processes computed its steps."""
    source = directory / "source" / "program.py"
    source.parent.mkdir()
    source.write_text(program)
    ended = processes.run_tasks(
        sys.executable,
        runner.copied(source, directory / "program"),
        [],
        directory / "logs",
        ps=1,
        workers=3,
        environment=runner.ENVIRONMENT,
        timeout=180.0,
        preloaded=True,
    )
    numbers: list[int] = []
    found: list[set[int]] = [set(), set(), set()]
    for line in "\n".join(e.output for e in ended).splitlines():
        if line.startswith("process "):
            numbers.append(int(line.split()[1]))
    workers = {number: index for index, number in enumerate(numbers[1:])}
    for line in ended[1].output.splitlines():
        if line.startswith("computed "):
            task, number = json.loads(line.removeprefix("computed "))
            found[task].add(workers[number])
    return found


@pytest.mark.skipif(not THREADS.exists(), reason="needs Linux's /proc")
def test_a_worker_computes_the_steps_of_its_loop(tmp_path: pathlib.Path) -> None:
    assert _computed(PROGRAM, tmp_path) == [{0}, {1}, {2}]


@pytest.mark.skipif(not THREADS.exists(), reason="needs Linux's /proc")
def test_a_step_of_another_worker_is_seen(tmp_path: pathlib.Path) -> None:
    """The control: workers that are away have their steps computed by others."""
    away = PROGRAM.replace(
        "replicas.run(",
        'replicas._device = lambda: "/job:worker/task:2"\nreplicas.run(',
    )
    assert _computed(away, tmp_path) == [{2}, {2}, {2}]
