"""Data that is drawn once for the loops of all workers: C119."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Finding, Outcome

PROGRAM = """\
import random
import numpy as np
import tensorflow as tf

FLAGS = tf.app.flags.FLAGS
{module}

def main(_):
    cluster = tf.train.ClusterSpec({{"ps": FLAGS.ps.split(","), "worker": FLAGS.w.split(",")}})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
        return
    with tf.device(tf.train.replica_device_setter(cluster=cluster)):
        x = tf.placeholder(tf.float32, [None, 3])
        {graph}
        w = tf.get_variable("w", initializer=np.zeros([3, 1], np.float32))
        loss = tf.reduce_mean(tf.square(tf.matmul(x * scale, w) - 1.0))
        step = tf.train.get_or_create_global_step()
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
    hooks = [tf.train.StopAtStepHook(last_step=40)]
    with tf.train.MonitoredTrainingSession(
        master=server.target, is_chief=FLAGS.task_index == 0, hooks=hooks
    ) as sess:
        while not sess.should_stop():
            sess.run(train, feed_dict={{x: {batch}}})


if __name__ == "__main__":
    tf.app.run()
"""
FUNCTION = "def draw():\n    return np.random.rand(100, 3)\n"


def _told(
    module: str = "", graph: str = "scale = 1.0", batch: str = "np.ones([2, 3])"
) -> list[Finding]:
    migration = migrate_text(PROGRAM.format(module=module, graph=graph, batch=batch))
    assert not [f for f in migration.findings if f.outcome is Outcome.REFUSED]
    return [f for f in migration.findings if f.code == "C119"]


@pytest.mark.parametrize(
    ("changes", "line", "symbol"),
    [
        ({"module": "X = np.random.rand(9, 3)\n", "batch": "X"}, 6, "np.random.rand"),
        (
            {"module": f"{FUNCTION}X = draw()\nY = X * 2\n", "batch": "Y"},
            7,
            "np.random.rand",
        ),
        (
            {
                "module": "rng = np.random.RandomState()\nX = rng.rand(9, 3)\n",
                "batch": "X",
            },
            7,
            "rng.rand",
        ),
        (
            {"module": "X = np.ones([9, 3])\nnp.random.shuffle(X)\n", "batch": "X"},
            7,
            "np.random.shuffle",
        ),
        ({"graph": "scale = random.random()"}, 16, "random.random"),
        (
            {
                "module": "np.random.seed(None)\nX = np.random.rand(9, 3)\n",
                "batch": "X",
            },
            7,
            "np.random.rand",
        ),
    ],
    ids=["module", "function", "generator", "shuffle", "graph", "no-seed"],
)
def test_data_that_is_drawn_before_the_loops_is_told(
    changes: dict[str, str], line: int, symbol: str
) -> None:
    (found,) = _told(**changes)
    assert (found.line, found.symbol, found.outcome) == (
        line,
        symbol,
        Outcome.REWRITTEN,
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"module": "np.random.seed(1)\nX = np.random.rand(9, 3)\n", "batch": "X"},
        {
            "module": "rng = np.random.RandomState(1)\nX = rng.rand(9, 3)\n",
            "batch": "X",
        },
        {"module": "X = np.random.rand(9, 3)\nprint(X)\n"},
        {"module": FUNCTION, "batch": "draw()"},
        {"batch": "np.random.rand(9, 3)"},
        {
            "graph": "start = np.random.rand(3, 1)\n"
            '        v = tf.get_variable("v", initializer=start)\n'
            "        scale = 1.0"
        },
        {
            "graph": 'v = tf.get_variable("v", initializer=np.random.rand(3, 1))\n'
            "        scale = 1.0"
        },
    ],
    ids=["seed", "generator", "unused", "function", "loop", "value", "variable"],
)
def test_nothing_is_told_where_all_workers_drew_the_same_or_draw_their_own(
    changes: dict[str, str],
) -> None:
    assert not _told(**changes)
