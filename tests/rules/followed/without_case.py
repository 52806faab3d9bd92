"""Recipes of codes that no case of their own shows."""

from __future__ import annotations

from reference.pages.cases import cases

_GRAPH = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 1])
loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        sess.run(train, {x: [[1.0, 2.0, 3.0]]})
"""
_LAYERED = _GRAPH.replace('w = tf.get_variable("w", [3, 1])\n', "").replace(
    "tf.matmul(x, w)", "tf.layers.dense(x, 1)"
)
_PRINTED = "print(len([v.name for v in tf.trainable_variables()]))"
_MODEL = _GRAPH[: _GRAPH.index("with ")]
_DATA = "tf.data.Dataset.from_tensors(tf.ones([1, 3])).repeat()"
_OF_DATA = _GRAPH.replace(
    "x = tf.placeholder(tf.float32, [None, 3])",
    f"x = {_DATA}.make_one_shot_iterator().get_next()",
).replace(", {x: [[1.0, 2.0, 3.0]]}", "")
_BEGUN = _GRAPH.replace(
    "x = tf.placeholder(tf.float32, [None, 3])",
    f"data = {_DATA}\niterator = tf.data.Iterator.from_structure(data.output_types, data.output_shapes)\n"
    "start = iterator.make_initializer(data)\nx = iterator.get_next()",
).replace(
    "    for i in range(3):\n        sess.run(train, {x: [[1.0, 2.0, 3.0]]})",
    "    sess.run(start)\n    for i in range(3):\n        sess.run(train)",
)
_HANDLED = _GRAPH.replace(
    "x = tf.placeholder(tf.float32, [None, 3])",
    f"data = {_DATA}\nhandle = tf.placeholder(tf.string, [])\n"
    "iterator = tf.data.Iterator.from_string_handle(handle, data.output_types, data.output_shapes)\n"
    "x = iterator.get_next()\nown = data.make_one_shot_iterator()",
).replace(
    "    for i in range(3):\n        sess.run(train, {x: [[1.0, 2.0, 3.0]]})",
    "    rows = sess.run(own.string_handle())\n    for i in range(3):\n"
    "        sess.run(train, {handle: rows})",
)
_SUPERVISED = """\
import tensorflow as tf

w = tf.Variable(2.0, name="w")
step = tf.train.get_or_create_global_step()
train = tf.group(tf.assign_add(w, 1.0), tf.assign_add(step, 1))
init = tf.global_variables_initializer()
supervisor = tf.train.Supervisor(logdir="/tmp/model", init_op=init, global_step=step)
with supervisor.managed_session() as sess:
    sess.run(init)
    for _ in range(3):
        sess.run(train)
"""


def _change(text: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


_METRIC = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
labels = tf.placeholder(tf.int64, [None])
w = tf.Variable(tf.zeros([3, 2]))
logits = tf.matmul(x, w)
columns = tf.unstack(logits, axis=1)
overlap, update = tf.metrics.mean_iou(labels, tf.argmax(logits, 1), len(columns))
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    for i in range(3):
        sess.run(update, {x: [[1.0, 2.0, 3.0]], labels: [i % 2]})
        print(sess.run(overlap))
"""
_SCALED = _change(
    _GRAPH,
    ("w = tf", "scale = 2.0\nw = tf"),
    ("matmul(x, w)", "matmul(x, w) * scale"),
    ("    for i", "    scale = 0.5\n    for i"),
    ("3.0]]", "3.0 * scale]]"),
)
_LOGGED = _change(
    _GRAPH, ("with tf", 'log = open("log", "w")\nlog.write(loss.op.name)\nwith tf')
)
_COUNTED = """\
import tensorflow as tf

names = []


def predict(inputs):
    w = tf.get_variable("w", [3, 1])
    names.append("predict")
    return tf.matmul(inputs, w)


x = tf.placeholder(tf.float32, [None, 3])
loss = tf.reduce_mean(tf.square(predict(x)))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        sess.run(train, {x: [[1.0, 2.0, 3.0]]})
        print(sess.run(loss, {x: [[1.0, 2.0, 3.0]]}))
print(names)
"""
_PASSED = _change(
    cases()["D132_loss_object"].text, ("dataset = ", "shown = str(mse)\ndataset = ")
)


FOLLOWED = {
    "D132_loss_object": (
        _PASSED,
        _change(_PASSED, ("str(mse)", "str(mse(ys, model(xs)))")),
    ),
    "G007": (
        _SCALED,
        _change(
            _SCALED, ("    scale = ", "    factor = "), ("3.0 * scale", "3.0 * factor")
        ),
    ),
    "G007_gone": (_LOGGED, _change(_LOGGED, ("loss.op.name", '"loss"'))),
    "G007_once": (
        _COUNTED,
        _change(
            _COUNTED,
            ('    names.append("predict")\n', ""),
            ("x = tf.pl", 'names.append("predict")\nx = tf.pl'),
        ),
    ),
    "M120_totals": (_METRIC, _change(_METRIC, (", len(columns)", ", 2"))),
    "S114": (
        _change(_LAYERED, ("with tf", f"{_PRINTED}\nwith tf")),
        f"{_LAYERED}    {_PRINTED}\n",
    ),
    "D112": (_SUPERVISED, _change(_SUPERVISED, ("    sess.run(init)\n", ""))),
    "N117": (
        "import tensorflow as tf\n\ny = tf.log(2.0)  # tf1to2: ignore[T102]\n",
        "import tensorflow as tf\n\ny = tf.log(2.0)\n",
    ),
    "S104": (
        _change(
            _GRAPH,
            (
                "    sess.run(tf.global_variables_initializer())\n",
                "    sess.run([tf.global_variables_initializer(), loss], {x: [[1.0, 2.0, 3.0]]})\n",
            ),
        ),
        _GRAPH,
    ),
    "S185_session": (
        _change(_GRAPH, ("    for i", "    print(sess.graph_def)\n    for i")),
        _GRAPH,
    ),
    "I101_begun": (
        _change(
            _BEGUN,
            ("    sess.run(start)\n", "    start = [start][0]\n    sess.run(start)\n"),
        ),
        _BEGUN,
    ),
    "I101_structure": (
        _change(_BEGUN, ("data.output_types, data.output_shapes", "tf.float32")),
        _BEGUN,
    ),
    "I101_handle": (
        _change(_HANDLED, ("{handle: rows}", "{handle: [rows][0]}")),
        _HANDLED,
    ),
    "I101_function": (
        _change(
            _OF_DATA,
            (
                f"x = {_DATA}.make_one_shot_iterator().get_next()",
                "import functools\n@functools.lru_cache()\ndef inputs():\n"
                f"    return {_DATA}.make_one_shot_iterator().get_next()\n\nx = inputs()",
            ),
        ),
        _change(
            _OF_DATA,
            (
                f"x = {_DATA}.make_one_shot_iterator().get_next()",
                "import functools\n@functools.lru_cache()\ndef inputs():\n"
                f"    return {_DATA}\n\nx = inputs().make_one_shot_iterator().get_next()",
            ),
        ),
    ),
    "I101_function_branch": (
        _change(
            _OF_DATA,
            (
                f"x = {_DATA}.make_one_shot_iterator().get_next()",
                f"import sys\nx = tf.ones([1, 3])\nif len(sys.argv) > 9:\n"
                f"    x = {_DATA}.make_one_shot_iterator().get_next()",
            ),
        ),
        _change(
            _OF_DATA,
            (
                f"x = {_DATA}.make_one_shot_iterator().get_next()",
                f"import sys\ndata = tf.data.Dataset.from_tensors(tf.ones([1, 3])).repeat()\n"
                f"if len(sys.argv) > 9:\n    data = {_DATA}\n"
                "x = data.make_one_shot_iterator().get_next()",
            ),
        ),
    ),
    "N101_block": (
        _MODEL
        + "for i in range(2):\n    with tf.train.MonitoredTrainingSession() as sess:\n"
        "        sess.run(train, {x: [[1.0, 2.0, 3.0]]})\n",
        _MODEL
        + "with tf.train.MonitoredTrainingSession() as sess:\n    for i in range(2):\n"
        "        sess.run(train, {x: [[1.0, 2.0, 3.0]]})\n",
    ),
}
