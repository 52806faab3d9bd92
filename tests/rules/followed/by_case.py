"""Recipes that cases show beside other recipes of their code."""

from __future__ import annotations

from reference.pages.cases import cases
from tests.rules.followed import architectures
from tests.rules.followed.bases import CLUSTER, MODULE, PLAIN, change

_SUPERVISED = architectures.FOLLOWED["N120_beside"][1]
_QUEUES = cases()["I120_twice"].text
_DATASETS = """\
import tensorflow as tf

files = tf.data.Dataset.from_tensor_slices(["a", "b"]).repeat()
lines = files.flat_map(tf.data.TextLineDataset)
data = lines.map(tf.string_to_number).batch(4)
batch = data.make_one_shot_iterator().get_next()
w = tf.Variable(1.0)
loss = tf.reduce_mean(batch * w)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(loss))
"""
_NORMALISED = change(
    CLUSTER,
    (
        "tf.matmul(x, w)",
        "tf.matmul(tf.layers.batch_normalization(x, training=True), w)",
    ),
)
_MINIMIZE = "        train = optimizer.minimize(loss, global_step=step)"
_PASSES = cases()["I112"].text.replace(".repeat()", "")
_READ = "sess.run(train, {x: batch})"
# The gradients of a loss in another loss, in a graph of TensorFlow 1.
_BY_VARIABLES = change(
    PLAIN,
    ("[3, 1])", "[3, 1], use_resource=True)"),
    (
        "train = ",
        "slope = tf.gradients(loss, [w])[0]\n"
        "total = loss + tf.reduce_sum(tf.square(slope))\ntrain = ",
    ),
    ("minimize(loss)", "minimize(total)"),
)
_BY_BOTH = change(
    PLAIN,
    ("train = ", "by_x, by_w = tf.gradients(h, [x, w])\ntrain = "),
    (_READ, "print(sess.run([train, by_x, by_w], {x: batch})[1])"),
)
_UPDATED = change(
    PLAIN,
    (
        "train = ",
        "first = tf.train.GradientDescentOptimizer(0.1).minimize(loss)\n"
        "with tf.control_dependencies([first]):\n"
        "    loss = loss + tf.reduce_sum(w.read_value())\ntrain = ",
    ),
)
_CHOSEN = change(
    PLAIN,
    (
        "with tf.Session",
        "if len(batch) > 1:\n    slopes = tf.gradients(loss * 2.0, [w])\n"
        "else:\n    slopes = tf.gradients(loss, [w])\nwith tf.Session",
    ),
    (_READ, "sess.run([train, slopes], {x: batch})"),
)
FOLLOWED = {
    "N101_mentioned": (
        MODULE + "def start(session):\n    return session()\n\n\n"
        "start(tf.train.MonitoredTrainingSession)\n",
        change(
            PLAIN,
            ("tf.Session()", "tf.train.MonitoredTrainingSession()"),
            ("    sess.run(tf.global_variables_initializer())\n", ""),
        ),
    ),
    "N120_function": (
        change(_SUPERVISED, ('print("alive")', 'sv.loop(60, print, ("alive",))')),
        change(
            _SUPERVISED,
            ("def main", 'def alive():\n    print("alive")\n\n\ndef main'),
            ('        print("alive")\n', "        sv.loop(60, alive)\n"),
        ),
    ),
    "N151_hook_of_graphs": (
        change(
            CLUSTER,
            ("last_step=5)]", "last_step=5), tf.train.FinalOpsHook(loss, {x: batch})]"),
        ),
        change(CLUSTER, (_READ, "_, last = sess.run([train, loss], {x: batch})")),
    ),
    "N151_feeds": (
        change(
            CLUSTER,
            ("last_step=5)]", "last_step=5), tf.train.FeedFnHook(lambda: {x: batch})]"),
            (_READ, "sess.run(train)"),
        ),
        CLUSTER,
    ),
    "T111_nowhere": (
        MODULE + "z = tf.mat_mul([[1.0]], [[2.0]])\n",
        MODULE + "z = tf.matmul([[1.0]], [[2.0]])\n",
    ),
    "I120_read": (_QUEUES, _DATASETS),
    "I112_passes": (
        _PASSES,
        change(_PASSES, ("seed=1", "seed=1, reshuffle_each_iteration=False")),
    ),
    "L123_updated": (
        _NORMALISED,
        change(
            _NORMALISED,
            (
                _MINIMIZE,
                "        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):\n"
                f"    {_MINIMIZE}",
            ),
        ),
    ),
    "O117": (
        _BY_BOTH,
        change(
            _BY_BOTH,
            (
                "by_x, by_w = tf.gradients(h, [x, w])",
                "(by_x,) = tf.gradients(h, [x])\n(by_w,) = tf.gradients(h, [w])",
            ),
        ),
    ),
    "O117_of_gradients": (
        _BY_VARIABLES,
        change(
            _BY_VARIABLES,
            (
                "h = tf.matmul(x, w)\nloss =",
                "with tf.GradientTape() as inner:\n    h = tf.matmul(x, w)\n    loss =",
            ),
            ("tf.gradients(loss, [w])[0]", "inner.gradient(loss, [w])[0]"),
        ),
    ),
    "O117_of_update": (
        _UPDATED,
        change(
            _UPDATED,
            (
                "with tf.control_dependencies([first]):\n    loss = loss",
                "second = loss",
            ),
            ("w.read_value()", "w"),
            ("minimize(loss)\nwith tf.S", "minimize(second)\nwith tf.S"),
            (_READ, "sess.run(first, {x: batch})\n        sess.run(train, {x: batch})"),
        ),
    ),
    "O117_in_block": (
        _CHOSEN,
        change(
            _CHOSEN,
            (
                "    slopes = tf.gradients(loss * 2.0, [w])\nelse:\n"
                "    slopes = tf.gradients(loss, [w])\n",
                "    scale = 2.0\nelse:\n    scale = 1.0\n"
                "slopes = tf.gradients(loss * scale, [w])\n",
            ),
        ),
    ),
}
# A pair whose program is told several recipes of its code -> how those begin that it follows.
SEVERAL = {
    "I101_structure": ("Keep each dataset",),
    "I120_read": (
        *("Read the data", "Use tf.data.Dataset.from_tensor_slices"),
        *("Use tf.data.Dataset.batch", "Use tf.data.TextLineDataset"),
    ),
    "I120_twice": ("Make one dataset for each use",),
    "L123": ("Make the update",),
    "L123_updated": ("Make every training operation",),
    "N120_beside": ("Instead: pass a function",),
    "N120_function": ("Instead: pass a function",),
}
