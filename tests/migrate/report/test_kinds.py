"""Checks the words in which a report names a program's kind and its result."""

from __future__ import annotations

import pathlib

import pytest

from migrate.compiler import migrate_text
from migrate.file_result import FileResult
from migrate.findings import Finding, Outcome
from migrate.options import Options
from migrate.report.summary import Run
from migrate.report.triage import triage

PATH = pathlib.Path("program.py")
ROOT = pathlib.Path(__file__).parents[3]
_ASYNCHRONOUS = ("asynchronous", "asynchronous cluster", "ParameterServerStrategy")
_TOWERS = (
    "towers_on_tasks",
    "towers on the tasks of a cluster",
    "CentralStorageStrategy over the tasks",
)
_PROGRAMS = {
    "reference/async_parameter_server/tf1.py": _ASYNCHRONOUS,
    "reference/sync_replicas/tf1.py": (
        "by_flag",
        "synchronous or asynchronous cluster, by a flag",
        "MultiWorkerMirroredStrategy or ParameterServerStrategy, by the same flag",
    ),
    "reference/ring_versus_parameter_server/tf1.py": (
        "synchronous",
        "synchronous cluster",
        "MultiWorkerMirroredStrategy",
    ),
    "reference/in_graph_towers/tf1.py": (
        "towers",
        "towers on one machine",
        "MirroredStrategy",
    ),
    "reference/queue_input/tf1.py": (
        "session",
        "session, one process",
        "eager steps in one process",
    ),
    "tests/programs/compiled_keras/sequential.py": (
        "estimator",
        "Estimator",
        "a Keras model, under the strategy that TF_CONFIG asks for",
    ),
    "tests/rules/N128.py": _TOWERS,
}


_LOCAL = """\
import tensorflow as tf

server = tf.train.Server.create_local_server()
x = tf.placeholder(tf.float32, [None, 1])
w = tf.get_variable("w", [1, 1])
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
step = tf.train.get_or_create_global_step()
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
with OPENED as sess:
    for _ in range(3):
        sess.run(train_op, {x: [[1.0]]})
"""


def _read(text: str) -> FileResult:
    made = migrate_text(text, Options(), "program.py")
    new = made.text.encode()
    told, support = tuple(made.findings), tuple(made.support)
    return FileResult(PATH, text.encode(), new, told, support)


def _told(result: FileResult) -> tuple[str, str, str]:
    (entry,) = triage(Run([result])).entries
    return entry.kind.name, entry.kind.words, entry.becomes


@pytest.mark.parametrize("path", _PROGRAMS)
def test_what_a_program_is_and_becomes_in_words(path: str) -> None:
    result = _read((ROOT / path).read_text("utf-8"))
    assert _told(result) == _PROGRAMS[path]


@pytest.mark.parametrize(
    ("opened", "first"),
    [
        ("tf.Session(server.target)", "sess.run(tf.global_variables_initializer())"),
        ("tf.train.MonitoredTrainingSession(server.target)", "step = 0"),
    ],
)
def test_a_server_of_one_process_becomes_no_cluster(opened: str, first: str) -> None:
    text = _LOCAL.replace("OPENED", opened).replace("    for", f"    {first}\n    for")
    result = _read(text)
    assert b"Server" not in result.new
    assert _told(result)[0] == "cluster"
    assert _told(result)[2] == "eager steps in one process"


def test_a_strategy_of_tensorflow_2_is_one() -> None:
    text = (
        "import tensorflow as tf\n"
        "strategy = tf.distribute.experimental.CentralStorageStrategy()\n"
        "print(tf.log(2.0))\n"
    )
    assert _told(_read(text))[2] == "CentralStorageStrategy"


def test_what_cannot_be_read_is_not_known() -> None:
    text = b"import tensorflow as tf\nprint tf.log(2.0)\n"
    finding = Finding(2, 1, "E004", Outcome.REFUSED, "", "this is Python 2")
    result = FileResult(PATH, text, text, (finding,), ())
    told = ("unread", "not Python 3", "unknown until it is read")
    assert _told(result) == told


@pytest.mark.parametrize(
    ("served", "kind"), [("", "session"), ("tf.train.ClusterSpec(hosts)\n", "placed")]
)
def test_a_device_that_is_computed_makes_no_cluster(served: str, kind: str) -> None:
    """C115 is also told of devices of one machine."""
    text = (
        "import tensorflow as tf\n"
        + served
        + "with tf.device(choose_device()):\n"
        + "    w = tf.get_variable('w', [1])\n    loss = tf.reduce_sum(w)\n"
        + "with tf.Session() as sess:\n"
        + "    sess.run(tf.global_variables_initializer())\n    sess.run(loss)\n"
    )
    found = migrate_text(text)
    assert "C115" in {f.code for f in found.findings}
    result = FileResult(PATH, text.encode(), text.encode(), found.findings)
    assert _told(result)[0] == kind
