"""The debugger of sessions, and a program that freezes graphs: what they dump and write."""

import contextlib
import io
import os
import sys
import zlib

import numpy as np
import tensorflow as tf
from tensorflow.python import debug as tf_debug
from tensorflow.python.framework import test_util
from tensorflow.python.tools import freeze_graph

tf.flags.DEFINE_string("dir", "/tmp/homes", "Where lines are written.")
FLAGS = tf.flags.FLAGS


def make_graph():
    x = tf.placeholder(tf.float32, [2], name="x")
    w = tf.get_variable("w", initializer=[1.0, 2.0], use_resource=False)
    y = tf.log(tf.multiply(x, w, name="product"), name="y")
    step = tf.train.get_or_create_global_step()
    return x, y, tf.assign_add(step, 1)


def read_dumps(root, write):
    for name in sorted(os.listdir(root)):
        dump = tf_debug.DebugDumpDir(os.path.join(root, name))
        nodes = {datum.node_name for datum in dump.dumped_tensor_data}
        write("nodes", *sorted(zlib.crc32(n.encode()) for n in nodes))
        write("y", np.nan_to_num(dump.get_tensors("y", 0, "DebugIdentity")[0]))
        found = dump.find(tf_debug.has_inf_or_nan)
        write(
            "bad",
            len(found),
            *[zlib.crc32(datum.node_name.encode()) for datum in found],
        )


def watch(fetches, feeds):
    return tf_debug.WatchOptions(["DebugIdentity"], "y|product")


def dumped(write):
    """Dumps of a hook and of a session."""
    x, y, count = make_graph()
    root = os.path.join(FLAGS.dir, "hook")
    hook = tf_debug.DumpingDebugHook(root, watch_fn=watch)
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        write("steps", session.run([y, count], {x: [1.0, -1.0]})[1])
        write("steps", session.run([y, count], {x: [1.0, 3.0]})[1])
    read_dumps(root, write)
    root = os.path.join(FLAGS.dir, "session")
    with tf.Session() as plain:
        session = tf_debug.DumpingDebugWrapperSession(plain, root)
        plain.run(tf.global_variables_initializer())
        session.run(y, {x: [0.0, 3.0]})
    read_dumps(root, write)


@contextlib.contextmanager
def answer(text):
    """Answers what the debugger asks; yields what it shows."""
    before = sys.stdin
    sys.stdin, shown = io.StringIO(text), io.StringIO()
    try:
        with contextlib.redirect_stdout(shown):
            yield shown
    finally:
        sys.stdin = before


def asked(write):
    """The debugger's interface of lines."""
    x, y, count = make_graph()
    with tf.Session() as plain, answer("run\n" * 4) as shown:
        plain.run(tf.global_variables_initializer())
        session = tf_debug.LocalCLIDebugWrapperSession(plain, ui_type="readline")
        session.add_tensor_filter("bad", tf_debug.has_inf_or_nan)
        found = session.run(y, {x: [1.0, 3.0]})
    write("wrapped", found, "run-end" in shown.getvalue(), "y:0" in shown.getvalue())
    hook = tf_debug.LocalCLIDebugHook(ui_type="readline")
    with answer("run\n" * 8) as shown:
        with tf.train.MonitoredSession(hooks=[hook]) as session:  # noqa: SIM117
            found = session.run([y, count], {x: [1.0, 3.0]})
    write("hooked", *found, "run-end" in shown.getvalue())


def frozen(write):
    """A frozen graph computes what the session did."""
    x, y, _ = make_graph()
    path = os.path.join(FLAGS.dir, "model")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        saved = tf.train.Saver().save(session, path)
        tf.train.write_graph(session.graph, FLAGS.dir, "graph.pbtxt")
    freeze_graph.freeze_graph(
        os.path.join(FLAGS.dir, "graph.pbtxt"),
        "",
        False,
        saved,
        "y",
        "save/restore_all",
        "save/Const:0",
        path + ".pb",
        clear_devices=True,
        initializer_nodes="",
    )
    definition = tf.GraphDef()
    with open(path + ".pb", "rb") as written:
        definition.ParseFromString(written.read())
    write("frozen", *sorted(zlib.crc32(n.name.encode()) for n in definition.node))
    with tf.Graph().as_default(), tf.Session() as session:
        (y,) = tf.import_graph_def(definition, return_elements=["y:0"])
        write("computed", session.run(y, {"import/x:0": [2.0, 3.0]}))


def tested(write):
    """A test that runs in a graph, and eagerly."""
    modes = []

    class Test(tf.test.TestCase):
        @test_util.run_in_graph_and_eager_modes
        def test_one(self):
            modes.append(tf.executing_eagerly())
            self.assertAllEqual(self.evaluate(tf.constant([1, 2]) * 2), [2, 4])

        @test_util.run_in_graph_and_eager_modes()
        def test_two(self):
            modes.append(tf.executing_eagerly())

    for name in ("test_one", "test_two"):
        Test(name).debug()
    write("modes", *modes)


def main(_):
    with open(os.path.join(FLAGS.dir, "loss"), "w") as log:

        def write(name, *values):
            numbers = np.concatenate([np.ravel(v).astype("float64") for v in values])
            log.write(" ".join([name, *map(repr, map(float, numbers))]) + "\n")

        for part in (dumped, asked, frozen, tested):
            with tf.Graph().as_default():
                part(write)


if __name__ == "__main__":
    tf.app.run()
