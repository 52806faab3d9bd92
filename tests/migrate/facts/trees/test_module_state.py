"""State of modules that the loops of several workers would share."""

from __future__ import annotations

import pathlib

import pytest

from migrate.findings import Finding, Outcome
from migrate.run import run_tree

PROGRAM = """\
import numpy as np
import tensorflow as tf
{imports}

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
        w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
        step = tf.train.get_or_create_global_step()
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
    hooks = [tf.train.StopAtStepHook(last_step=40)]
    {made}
    with tf.train.MonitoredTrainingSession(
        master=server.target, is_chief=FLAGS.task_index == 0, hooks=hooks
    ) as sess:
        while not sess.should_stop():
            {loop}
            sess.run(train, feed_dict={{x: {batch}}})


if __name__ == "__main__":
    tf.app.run()
"""
DATA = """\
import itertools
import logging
import threading

import numpy as np

X = np.ones([64, 3], np.float32)
SIZE = 8
_position = 0
history = []
lock = threading.Lock()
logger = logging.getLogger(__name__)
cycle = itertools.cycle([X])


def next_batch(n=8):
    global _position
    _position += n
    return X[_position : _position + n]


def remember(loss):
    history.append(loss)
    return len(history)


def pure(n=8):
    with lock:
        logger.info("%d", n)
    return X[:n] * 2.0


def own(n=8):
    rng = np.random.RandomState(n)
    rows = []
    rows.append(X[rng.randint(8)])
    return np.asarray(rows)


def drawn(n=8):
    return X[np.random.randint(0, 64, n)]


def kept(n, seen=[]):
    seen.append(n)
    return X


def batches():
    for row in X:
        yield row[None]


class Loader(object):
    def __init__(self, size=8):
        self.size = size
        self.at = 0

    def next_batch(self):
        self.at += self.size
        return X[self.at : self.at + self.size]


class Counting(Loader):
    made = 0

    def next_batch(self):
        Counting.made += 1
        return X


class Best(object):
    values = {}

    def add(self, loss):
        self.values["loss"] = loss


class Config(object):
    def __init__(self):
        self.size = 8

    def area(self):
        return self.size**2


_loader = Loader()
loader = Loader()
config = Config()
fetch = _loader.next_batch
shorter = lambda: next_batch(4)


def get_loader():
    return _loader
"""
FURTHER = """\
import data
from data import next_batch as take


def batch():
    return take(4)


def pure():
    return data.pure()
"""


def _refusals(
    tmp_path: pathlib.Path,
    batch: str = "data.X",
    loop: str = "pass",
    made: str = "pass",
    imports: str = "import data",
    module: str = "",
) -> list[Finding]:
    text = PROGRAM.format(
        imports=imports, module=module, made=made, loop=loop, batch=batch
    )
    (tmp_path / "train.py").write_text(text)
    (tmp_path / "data.py").write_text(DATA)
    (tmp_path / "further.py").write_text(FURTHER)
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("from .within import *\n")
    (tmp_path / "package" / "within.py").write_text(DATA)
    results = {r.path.name: r for r in run_tree([tmp_path], jobs=1)}
    return [
        f
        for f in results["train.py"].findings
        if f.outcome is Outcome.REFUSED and f.code != "N100"
    ]


@pytest.mark.parametrize(
    "changes",
    [
        {"batch": "data.next_batch(8)"},
        {"batch": "d.next_batch(8)", "imports": "import data as d"},
        {"batch": "take(8)", "imports": "from data import next_batch as take"},
        {"batch": "next_batch(8)", "imports": "from data import *"},
        {"batch": "further.batch()", "imports": "import data\nimport further"},
        {"batch": "data.kept(8)"},
        {"batch": "data.loader.next_batch()"},
        {
            "batch": "loader.next_batch()",
            "imports": "import data\nfrom data import loader",
        },
        {"batch": "data.fetch()"},
        {"batch": "data.shorter()"},
        {"batch": "next(data.cycle)"},
        {"batch": "data.get_loader().next_batch()"},
        {
            "batch": "helper()",
            "module": "\ndef helper():\n    return data.next_batch(2)\n",
        },
        {"batch": "take(2)", "made": "take = data.next_batch"},
        {"batch": "taken.next_batch()", "made": "taken = data.loader"},
        {"batch": "taken.next_batch()", "made": "taken = data.Counting()"},
        {"batch": "package.next_batch(8)", "imports": "import package"},
        {"batch": "take(8)", "imports": "from package import next_batch as take"},
        {"batch": "data.next_batch(8)", "imports": "", "made": "import data"},
        {"loop": "data.Best().add(1.0)"},
        {"loop": "data.remember(1.0)"},
        {"loop": "data.history.append(1.0)"},
        {"loop": "data._position += 1"},
        {
            "batch": "data.drawn()",
            "module": "np.random.seed(1)\n",
        },
    ],
    ids=lambda changes: "-".join(str(v) for v in changes.values())[:40],
)
def test_a_loop_that_changes_another_module_is_refused(
    tmp_path: pathlib.Path, changes: dict[str, str]
) -> None:
    assert {f.code for f in _refusals(tmp_path, **changes)} == {"C109"}


@pytest.mark.parametrize(
    "changes",
    [
        {"batch": "data.X[: data.SIZE]"},
        {"batch": "data.pure()"},
        {"batch": "data.own()"},
        {"batch": "data.drawn()"},
        {"batch": "data.drawn()", "module": "np.random.seed(None)\n"},
        {"batch": "further.pure()", "imports": "import data\nimport further"},
        {"batch": "data.X[: data.config.area() and data.config.size]"},
        {"batch": "taken.next_batch()", "made": "taken = data.Loader()"},
        {"batch": "data.Loader().next_batch()"},
        {"batch": "next(taken)", "made": "taken = data.batches()"},
        {"module": "first = data.next_batch(8)\n"},
        {"loop": "print(len(data.history))"},
        {"loop": "data.logger.info('one')"},
    ],
    ids=lambda changes: "-".join(str(v) for v in changes.values())[:40],
)
def test_what_changes_nothing_of_another_module_is_migrated(
    tmp_path: pathlib.Path, changes: dict[str, str]
) -> None:
    assert not _refusals(tmp_path, **changes)


def test_the_finding_names_the_state_and_its_file(tmp_path: pathlib.Path) -> None:
    (found,) = _refusals(tmp_path, batch="data.next_batch(8)")
    assert "`_position` of data.py" in found.reason
    assert "`data.next_batch`" in found.reason
