"""Checks that reasons of refusals are true and that recipes can be followed."""

from __future__ import annotations

import json
import pathlib

import pytest

from migrate import emitted, pipeline
from migrate.compiler import migrate_text
from migrate.findings import Finding, Outcome
from migrate.options import Options
from migrate.tables import symbols

HEAD = "import tensorflow as tf\n"
GRAPH = """\
x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 1])
loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
"""
LOOP = """\
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        sess.run(train, {x: [[1.0, 2.0, 3.0]]})
"""


def refused(text: str, code: str) -> list[Finding]:
    return [f for f in migrate_text(text).findings if f.code == code]


OF_MODULE = [
    "__version__",
    "__version__.split",
    "__git_version__",
    "__file__",
    "__doc__",
]


@pytest.mark.parametrize("name", OF_MODULE)
@pytest.mark.parametrize("package", ["tensorflow", "tensorflow.compat.v1"])
def test_what_a_module_says_of_itself_is_there(name: str, package: str) -> None:
    text = f"import {package} as tf\nprint(tf.{name}, tf.log(1.0))\n"
    found = migrate_text(text)
    assert not [f for f in found.findings if f.outcome is not Outcome.KEPT][1:]
    assert f"tf.{name}" in found.text


def test_a_name_of_the_module_that_is_nowhere_is_refused() -> None:
    text = "import tensorflow as tf\nprint(tf.__nothing__, tf.log(1.0))\n"
    assert refused(text, "T111")


@pytest.mark.parametrize("package", ["tensorflow", "tensorflow.compat.v1"])
def test_raw_ops_are_there(package: str) -> None:
    text = f"import {package} as tf\nprint(tf.raw_ops.Add(x=1, y=2), tf.log(1.0))\n"
    assert not refused(text, "T111")
    gone = text.replace("raw_ops.Add", "raw_ops.Adds")
    assert refused(gone, "T111")


def test_they_exist_in_the_table_as_in_tensorflow() -> None:
    for name in (
        "tf.__version__",
        "tf.compat.v1.__version__",
        "tf.compat.v1.raw_ops.Add",
    ):
        assert symbols.exists_in_target(name), name
    assert not symbols.exists_in_target("tf.compat.v1.raw_ops.Adds")


CLUSTER = """\
cluster = tf.train.ClusterSpec({"worker": ["localhost:2222"]})
with tf.train.MonitoredTrainingSession() as sess:
    sess.run(tf.log(1.0))
"""


def test_a_ring_of_processes_is_not_told_to_start_a_server() -> None:
    assert refused(HEAD + CLUSTER, "D144")
    assert not refused("import horovod.tensorflow as hvd\n" + HEAD + CLUSTER, "D144")
    assert not refused(HEAD + "from horovod import tensorflow as h\n" + CLUSTER, "D144")


_RING = """\
import horovod.tensorflow as hvd
x = tf.placeholder(tf.float32, [3])
w = tf.get_variable("w", [3])
opt = hvd.DistributedOptimizer(tf.train.AdagradOptimizer(0.1))
train_op = opt.minimize(tf.reduce_sum(w * x))
with tf.train.MonitoredTrainingSession() as sess:
    while not sess.should_stop():
        sess.run(train_op, {x: [1.0, 2.0, 3.0]})
"""


def test_horovods_optimizer_is_told_of_synchronous_replicas() -> None:
    told = [f for f in migrate_text(HEAD + _RING).findings if f.code == "N107"]
    assert "Horovod" in told[0].reason and "SyncReplicasOptimizer" in told[0].recipe
    other = _RING.replace("horovod.tensorflow", "rings")
    told = [f for f in migrate_text(HEAD + other).findings if f.code == "N107"]
    assert "Horovod" not in told[0].reason
    # What it sends to becomes what it says.
    sync = pathlib.Path(__file__).parents[2] / "reference" / "sync_replicas" / "tf1.py"
    found = migrate_text(sync.read_text())
    assert not any(f.outcome is Outcome.REFUSED for f in found.findings)
    assert "MultiWorkerMirroredStrategy" in found.text + "".join(
        emitted.read_source(name).decode() for name in found.support
    )


@pytest.mark.parametrize("name", ["a.py", "a.ipynb"])
def test_a_notebook_is_told_of_no_coding_line(
    name: str, tmp_path: pathlib.Path
) -> None:
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": 1}
    book = {"cells": [{**cell, "source": "import tensorflow as tf  # X"}]}
    data = json.dumps({**book, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    text = data if name.endswith("ipynb") else "import tensorflow as tf  # X"
    path = tmp_path / name
    found = pipeline.migrate_bytes(
        path, text.encode().replace(b"X", b"\xe9"), Options()
    )
    (finding,) = found.findings
    assert finding.code == "E002"
    assert ("coding" in finding.recipe) is name.endswith("py")
    assert ("coding line" in finding.reason) is name.endswith("py")


TOWERS = """\
class Tower:
    def __init__(self, i, x):
        with tf.device(DEVICE):
            with tf.variable_scope("m", reuse=i > 0):
                w = tf.get_variable("w", [3, 1])
            self.loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))


x = tf.placeholder(tf.float32, [None, 3])
towers = [Tower(i, part) for i, part in enumerate(tf.split(x, 2))]
train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.add_n([t.loss for t in towers]))
with tf.Session() as sess:
"""


@pytest.mark.parametrize(
    ("device", "reason"),
    [
        ('"/gpu:%d" % i', "the program computes the device"),
        ('"/gpu:{}".format(i)', "the program computes the device"),
        ('"/job:worker/task:%d" % i', "on tasks by hand"),
        ("chosen(i)", "the program computes the device"),
    ],
)
def test_a_gpu_is_no_task(device: str, reason: str) -> None:
    text = HEAD + TOWERS.replace("DEVICE", device) + LOOP
    (found,) = refused(text, "C115")
    assert reason in found.reason


def test_the_session_that_trains_is_not_the_second() -> None:
    look = "look = tf.Session()\nprint(look.run(w))\n"
    opens = "with tf.Session() as sess:\n"
    text = HEAD + GRAPH + look + opens + LOOP
    (found,) = refused(text, "N101")
    assert text.splitlines()[found.line - 1] == "look = tf.Session()"
    # Without the other one, as it advises, the program is migrated.
    rest = migrate_text(HEAD + GRAPH + opens + LOOP)
    assert not [f for f in rest.findings if f.outcome is Outcome.REFUSED]


IN_CLASS = """\
class Model:
    def __init__(self):
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def step(self):
        return self.sess.run(train, {x: [[1.0, 2.0, 3.0]]})


model = Model()
for i in range(3):
    model.step()
"""
GIVEN = """\
def step(sess):
    return sess.run(train, {x: [[1.0, 2.0, 3.0]]})


with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        step(sess)
"""


def test_a_session_of_a_class_is_told_what_a_class_can_do() -> None:
    unused = IN_CLASS.partition("\n\n\n")[0]
    (found,) = refused(HEAD + GRAPH + unused, "S101")
    assert "self.sess" in found.recipe and "with tf.Session(...)" in found.recipe
    followed = migrate_text(HEAD + GRAPH + GIVEN)
    assert not [f for f in followed.findings if f.outcome is Outcome.REFUSED]


def test_a_session_of_a_function_is_told_its_own_kind() -> None:
    text = (
        GRAPH
        + "sess = tf.Session()\nprint(sess.run(loss, {x: [[1.0, 2.0, 3.0]]}), a)\n"
    )
    found = refused(
        HEAD + "def main(a):\n" + "".join(f"    {x}\n" for x in text.splitlines()),
        "S101",
    )
    assert all("with tf.Session(...) as sess" in f.recipe for f in found)


@pytest.mark.parametrize(
    "text",
    [
        "tf.log(1.0)\nfrom tensorflow.keras import backend as K\nK.set_session(K.get_session())\n",
        "import tensorflow.keras.backend as K\nK.set_session(K.get_session())\n",
        "tf.log(1.0)\ntf.keras.backend.set_session(None)\n",
        "tf.log(1.0)\nsession = tf.keras.backend.get_session()\n",
    ],
)
def test_a_session_of_keras_is_left_out(text: str) -> None:
    """No layer of tf_keras stands for it, and no variable of the environment brings it."""
    found = [
        f for f in migrate_text(f"import tensorflow as tf\n{text}").findings if f.blocks
    ]
    told = [f for f in found if f.symbol.startswith("tf.keras.backend.")]
    assert told and {f.code for f in told} <= {"T111", "T113"}
    assert all("remove it" in f.recipe for f in told)
    assert not any("TF_USE_LEGACY_KERAS" in f.recipe + f.reason for f in told)
