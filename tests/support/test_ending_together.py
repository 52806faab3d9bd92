"""Synchronous workers leave their sessions together.

A worker whose process ends takes with it what another still receives from it: that
one's last step failed with "Socket closed", in one training of thirty with two workers
and in one of five with three, on a loaded machine.
"""

from __future__ import annotations

import pathlib
import re
import sys

import pytest

pytest.importorskip("tensorflow")

from reference import processes, runner  # noqa: E402

# Worker 1 dawdles between its last step and its session's end.
PROGRAM = """
import sys, time
import tensorflow as tf
import training_session

flags = tf.compat.v1.app.flags
for name in ("job_name", "ps_hosts", "worker_hosts"):
  flags.DEFINE_string(name, None, "")
flags.DEFINE_integer("task_index", 0, "")
FLAGS = flags.FLAGS
FLAGS(sys.argv)

cluster = tf.train.ClusterSpec({"worker": FLAGS.worker_hosts.split(",")})
strategy = tf.distribute.MultiWorkerMirroredStrategy(
    cluster_resolver=tf.distribute.cluster_resolver.SimpleClusterResolver(
        cluster, task_type="worker", task_id=FLAGS.task_index, rpc_layer="grpc"))
replicas = training_session.SynchronousReplicas(strategy, FLAGS.task_index)

with strategy.scope(), replicas.recording():
  total = tf.Variable(0.0, name="total")

  @replicas.step_function()
  def train_step():
    context = tf.distribute.get_replica_context()
    return context.all_reduce(tf.distribute.ReduceOp.SUM, tf.constant(1.0))


class Dawdling(training_session.Hook):
  def end(self, session):
    print("stepped", time.time())
    time.sleep(4.0 * FLAGS.task_index)


training_session.synchronous.RECOVERY_WAIT_SECS = 8.0
with training_session.MonitoredTrainingSession(
    replicas, is_chief=FLAGS.task_index == 0, hooks=[Dawdling()]) as sess:
  for _ in range(5):
    assert sess.run(train_step) == 2.0
print("left", time.time())
"""


def _times(output: str) -> tuple[float, float]:
    """When a worker had had its last step, and when it left its session."""
    found = dict(re.findall(r"^(stepped|left) ([\d.]+)$", output, re.MULTILINE))
    return float(found["stepped"]), float(found["left"])


def _run(program: str, directory: pathlib.Path) -> list[tuple[float, float]]:
    source = directory / "source" / "program.py"
    source.parent.mkdir()
    source.write_text(program)
    ended = processes.run_tasks(
        sys.executable,
        runner.copied(source, directory / "program"),
        [],
        directory / "logs",
        ps=0,
        workers=2,
        environment=runner.ENVIRONMENT,
        timeout=180.0,
        preloaded=True,
    )
    return [_times(e.output) for e in ended]


def test_none_leaves_before_all_have_had_their_last_step(
    tmp_path: pathlib.Path,
) -> None:
    (stepped, left), _ = _run(PROGRAM, tmp_path)
    assert left - stepped > 3.0


def test_one_that_does_not_come_is_not_waited_for_for_ever(
    tmp_path: pathlib.Path,
) -> None:
    late = PROGRAM.replace("4.0 *", "20.0 *")
    (stepped, left), (_, other_left) = _run(late, tmp_path)
    assert 7.0 < left - stepped < 16.0
    assert other_left > left
