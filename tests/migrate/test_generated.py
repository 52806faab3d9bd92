"""Programs and bytes that nobody wrote: the tool never fails of itself.

What it changes compiles and migrates to itself; what it does not touch stays byte for byte.
"""

from __future__ import annotations

import pathlib

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from migrate.findings import Outcome
from migrate.options import Options
from migrate.pipeline import migrate_bytes

_FEW = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
PATH = pathlib.Path("generated.py")

# Lines of programs; names are bound before, and some lines do not belong together.
SIMPLE = (
    "x = tf.placeholder(tf.float32, [None, 3])",
    "x = tf.constant([[1., 2., 3.]])",
    "w = tf.get_variable('w', [3, 1], initializer=tf.zeros_initializer())",
    "w = tf.Variable(tf.truncated_normal([3, 1]), name='w')",
    "y = tf.matmul(x, w)",
    "y = tf.layers.dense(x, 2, name='dense')",
    "loss = tf.reduce_mean(tf.square(y))",
    "loss = tf.losses.mean_squared_error(y, y)",
    "step = tf.train.get_or_create_global_step()",
    "train = tf.train.AdamOptimizer(0.1).minimize(loss)",
    "train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, global_step=step)",
    "saver = tf.train.Saver()",
    "print('kept', 1)  # a comment",
    "a = {'b': [1, 2], 'c': (3,)}",
    "tf.logging.info('%s', 'é\\u2028')",
    "z = tf.log(x) + tf.contrib.nothing.here(x)",
    "tf.add_to_collection('mine', w)",
    "def helper(v, k=tf.float32):\n    return tf.to_float(v)",
    "class Model(object):\n    def __init__(self):\n        self.v = tf.get_variable('v', [1])",
    "lambda q: tf.div(q, 2)",
)
RUNS = (
    "with tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n"
    "    for i in range(3):\n        sess.run(train, {x: [[1., 2., 3.]]})",
    "with tf.train.MonitoredTrainingSession() as sess:\n    print(sess.run([loss, train]))",
    "sess = tf.Session()\nprint(sess.run(loss))",
    "",
)
BLOCKS = ("", "with tf.variable_scope('s'):", "if a:", "for _ in range(2):", "try:")


@st.composite
def _programs(draw: st.DrawFn) -> str:
    lines = ["import tensorflow as tf", "a = 1"]
    for line in draw(st.lists(st.sampled_from(SIMPLE), max_size=9)):
        block = draw(st.sampled_from(BLOCKS))
        if block:
            inner = "\n".join("    " + part for part in line.split("\n"))
            line = f"{block}\n{inner}"
            line += "\nfinally:\n    pass" if block == "try:" else ""
        lines.append(line)
    lines.append(draw(st.sampled_from(RUNS)))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    return end.join("\n".join(lines).split("\n")) + draw(st.sampled_from(["", end]))


@_FEW
@given(_programs(), st.sampled_from(["estimator", "fit", "model_fn"]))
def test_a_generated_program(text: str, estimators: str) -> None:
    old = text.encode()
    options = Options(estimators=estimators)
    result = migrate_bytes(PATH, old, options)
    assert not any(f.code == "G009" for f in result.findings), result.findings
    if not result.changed:
        return
    new = result.new
    compile(new, "generated.py", "exec")
    for line in ("print('kept', 1)  # a comment", "a = {'b': [1, 2], 'c': (3,)}"):
        assert new.decode().count(line) == text.count(line) or "def " in text
    assert (b"\r\n" in new) == (b"\r\n" in old)
    again = migrate_bytes(PATH, new, options.again(result.support))
    assert not again.changed


@_FEW
@given(st.binary(max_size=300), st.booleans())
def test_bytes(data: bytes, notebook: bool) -> None:
    path = PATH.with_suffix(".ipynb") if notebook else PATH
    for content in (
        data,
        b"import tensorflow as tf\n" + data,
        b"# tensorflow\n" + data,
    ):
        result = migrate_bytes(path, content, Options(python2=True))
        assert not any(f.code == "G009" for f in result.findings), result.findings
        if any(f.outcome is Outcome.FAILED for f in result.findings):
            assert not result.changed
