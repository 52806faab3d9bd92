"""Reads of the default graph, which a migrated session program would find empty."""

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.options import Options
from migrate.run import run_programs

PROGRAM = """\
import tensorflow as tf
{helper}
x = tf.placeholder(tf.float32, [None, 2], name="x")
w = tf.Variable(tf.ones([2, 1]), name="w")
loss = tf.reduce_mean(tf.matmul(x, w), name="loss")
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
{built}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(3):
        value = sess.run([train, loss], {{x: [[1.0, 2.0]]}})[1]
        print(value)
    {end}
"""
READS = {
    "nodes": "print(len(tf.get_default_graph().as_graph_def().node))",
    "operations": "print([o.name for o in tf.get_default_graph().get_operations()])",
    "by name": "g = tf.get_default_graph()\nprint(g.get_operation_by_name('loss').type)",
    "version": "g = tf.get_default_graph()\nprint(g.version)",
    "copy": "graph = tf.get_default_graph().as_graph_def()\n"
    "copy, = tf.import_graph_def(graph, return_elements=['loss:0'], name='copy')",
    "argument": "tf.train.write_graph(graph_or_graph_def=tf.get_default_graph(), "
    "logdir='.', name='graph.pbtxt')",
}
HARMLESS = {
    "finalized": "tf.get_default_graph().finalize()",
    "alone": "graph = tf.get_default_graph()",
}


def _migrate(built="", end="pass", helper=""):
    text = PROGRAM.format(built=built, end=end, helper=helper)
    found = migrate_text(text, Options(), "program.py")
    return text, found, [f for f in found.findings if f.outcome is Outcome.REFUSED]


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_read_of_default_graph_is_refused_at_its_line(read):
    text, _, refused = _migrate(read)
    assert [f.code for f in refused] == ["S185"]
    line = text.split("\n")[refused[0].line - 1]
    assert "get_default_graph" in line or "g." in line
    assert "default graph is empty" in refused[0].reason
    assert "compat.v1" not in refused[0].reason


def test_read_in_session_and_in_helper_is_refused():
    end = "open('g.pb', 'wb').write(tf.get_default_graph().as_graph_def().SerializeToString())"
    assert [f.code for f in _migrate(end=end)[2]] == ["S185"]
    helper = "def count():\n    graph = tf.get_default_graph()\n    return len(graph.get_operations())\n"
    assert [f.code for f in _migrate("print(count())", helper=helper)[2]] == ["S185"]


@pytest.mark.parametrize("use", HARMLESS.values(), ids=HARMLESS)
def test_use_that_reads_nothing_is_migrated(use):
    text, found, refused = _migrate(use)
    assert not refused
    assert found.text != text


def test_graph_of_model_fn_is_read():
    text = """\
import tensorflow as tf


def model_fn(features, labels, mode):
    w = tf.get_variable("w", [2, 1])
    loss = tf.reduce_mean(tf.matmul(features["x"], w) - labels)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
        loss, global_step=tf.train.get_global_step())
    print(len(tf.get_default_graph().get_operations()))
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


estimator = tf.estimator.Estimator(model_fn, model_dir="model")
"""
    found = migrate_text(text, Options(), "program.py")
    assert not [f for f in found.findings if f.outcome is Outcome.REFUSED]


COUNT = """\
import tensorflow as tf


def count():
    return len(tf.get_default_graph().get_operations())
"""


@pytest.mark.parametrize("reads", [True, False])
def test_read_in_a_file_beside_the_session_is_refused(tmp_path, reads):
    built = "print(count())" if reads else ""
    text = PROGRAM.format(built=built, end="pass", helper="from count import count")
    (tmp_path / "main.py").write_text(
        text if reads else text.replace("from count", "#")
    )
    (tmp_path / "count.py").write_text(COUNT)
    found = {r.path.name: r for group in run_programs([tmp_path]) for r in group}
    refused = [
        f.code for f in found["count.py"].findings if f.outcome is Outcome.REFUSED
    ]
    assert ("S185" in refused) is reads
    assert found["main.py"].changed is not reads


OVERRIDE = """\
import tensorflow as tf
@tf.RegisterGradient("Twice")
def twice(op, grad): return grad * 2.0
x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 1], initializer=tf.ones_initializer())
{}:
    h = tf.nn.relu(tf.matmul(x, w))
loss = tf.reduce_mean(tf.square(h - 1.0))
train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([train, loss], {{x: [[1.0, 2.0, 3.0]]}}))
"""
MAPS = (
    'with tf.get_default_graph().gradient_override_map({"Relu": "Twice"})',
    'g = tf.get_default_graph()\nwith g.gradient_override_map({"Relu": "Twice"})',
)


@pytest.mark.parametrize("opened", MAPS)
def test_a_map_of_gradients_is_refused_where_a_tape_takes_them(opened: str) -> None:
    """Measured: a tape takes the operation's own gradient, and 4.84 becomes 12.96."""
    found = migrate_text(OVERRIDE.format(opened)).findings
    refused = [f for f in found if f.outcome is Outcome.REFUSED and f.code == "S185"]
    assert [f.reason[:7] for f in refused] == ["the map"]
