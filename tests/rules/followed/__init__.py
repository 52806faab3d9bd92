"""Refused programs and what their recipes make of them.

`FOLLOWED` has, for a code, a program that is refused with it and the same program with the
recipe followed. The tests run them, and the rule's page shows them.
"""

from __future__ import annotations

from reference.pages.cases import cases
from tests.rules.followed import (
    architectures,
    by_case,
    clusters,
    estimators,
    mistakes,
    sessions,
    symbols,
    without_case,
)

HEAD = "import tensorflow as tf\n\n"
GRAPH = """\
x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 1])
loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
"""
SESSION = """\
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        sess.run(train, {x: [[1.0, 2.0, 3.0]]})
"""
PROGRAM = HEAD + GRAPH + SESSION


def _in_order(repeated: str) -> str:
    """A program whose data are shuffled by a seed, and then repeated."""
    return (
        "import tensorflow as tf\n\n"
        f"data = tf.data.Dataset.range(9).shuffle(9, seed=1).{repeated}\n"
        "element = data.make_one_shot_iterator().get_next()\n"
        "loss = tf.cast(element, tf.float32) * tf.Variable(1.0)\n"
        "with tf.Session() as sess:\n"
        "    sess.run(tf.global_variables_initializer())\n"
        "    print(sess.run(loss))\n"
    )


# Code -> a refused program, and what the recipe makes of it.
FOLLOWED = {
    "N101": (
        HEAD + GRAPH + "look = tf.Session()\nprint(look.run(w))\n" + SESSION,
        PROGRAM,
    ),
    "N111": (
        PROGRAM.replace(
            "import tensorflow as tf\n", "import tensorflow as tf\nplain_session = 3\n"
        ),
        PROGRAM.replace(
            "import tensorflow as tf\n", "import tensorflow as tf\nsession_count = 3\n"
        ),
    ),
    "S101": (
        HEAD
        + GRAPH
        + "class Model:\n    def __init__(self):\n        self.sess = tf.Session()\n"
        "        self.sess.run(train)\n",
        PROGRAM,
    ),
    "T111": (
        HEAD
        + "print(tf.log(1.0))\nmodel = tf.keras.utils.multi_gpu_model(make(), gpus=2)\n",
        HEAD
        + "print(tf.log(1.0))\nwith tf.distribute.MirroredStrategy().scope():\n    model = make()\n",
    ),
    "I112": (_in_order("repeat()"), _in_order("batch(1).repeat()")),
    "T121": (
        HEAD + "y = tf.log(1.0)\nz = tf.matmul(y)\n",
        HEAD + "y = tf.log(1.0)\nz = tf.matmul(y, y)\n",
    ),
}


# Code -> what its recipe changes in its case of this directory.
IN_CASES = {
    "D121_tensors": (("weights = tf.ones([3])\n", ""),),
    "H122_sometimes": (
        (
            "        if self._runs % 10 == 0:\n            return tf",
            "        return tf",
        ),
    ),
    "H122_unread": (
        (
            "from otherlib.hooks import SpeedHook\n",
            """
class SpeedHook(tf.train.SessionRunHook):
    def __init__(self, every):
        self._every, self._runs = every, 0

    def after_run(self, run_context, run_values):
        self._runs += 1
        if self._runs % self._every == 0:
            print(self._runs)

""",
        ),
    ),
    "N123_mixed_towers": (
        (
            'slim.fully_connected(parts[i], 2, scope="out")',
            'tf.layers.dense(parts[i], 2, tf.nn.relu, name="out")',
        ),
        ("from tensorflow.contrib import slim\n", ""),
    ),
    "N104_checkpoint": (
        ('tf.train.init_from_checkpoint("pretrained/model", {"kernel": w})\n', ""),
        (
            "  print",
            '  tf.train.Saver({"kernel": w}).restore(sess, "pretrained/model")\n  print',
        ),
    ),
    "N141": (('3.0], name="q")\nw', '3.0], name="target")\nw'),),
    "C131_towers": (
        ('if FLAGS.job_name == "ps"', 'if FLAGS.job_name == "ps" or FLAGS.task_index'),
        ("  sess.run(", "  sess.run(tf.global_variables_initializer())\n  sess.run("),
    ),
    "N135": (
        ("loss_of(labels, scales)", "loss_of(prediction, labels, scales)"),
        ("loss_of(1.0", "loss_of(prediction, 1.0"),
    ),
    "N150_layer": (("tf.layers", "tf.log\nimport tf_keras\ntf_keras.layers"),),
    "N111_branch": (
        ("w = tf.Variable(2.0)\n    h = h * w", "v = tf.Variable(2.0)\n    h = h * v"),
    ),
    "O120_synchronous": ((", variables_to_average=[w]", ""),),
    "S105": (('feeds = {}\nfeeds["x"] = ', "x = "), ('feeds["x"]', "x")),
    "S111": (("{x: np.ones([1, 2])}", "{x: np.ones([1, 2]), y: np.ones([1, 2])}"),),
    "I120_twice": ((" + tf.to_float(queue.size())", ""),),
    "S112": (
        ("for part in parts:", "for part in sess.run(parts, {x: np.ones([1, 2])}):"),
        ("print(sess.run(part, {x: np.ones([1, 2])}))", "print(part)"),
    ),
    "T115_looked_up": (('getattr(tf, "log")', '{"log": tf.log}["log"]'),),
    "T115_library": (
        (
            "from otherlib.losses import smooth\n",
            "\ndef smooth(errors):\n    return tf.log(tf.cosh(errors))\n",
        ),
    ),
}
for _code, _changes in IN_CASES.items():
    _text = cases()[_code].text
    _followed = _text
    for _old, _new in _changes:
        assert _old in _followed, _code
        _followed = _followed.replace(_old, _new)
    FOLLOWED[_code] = _text, _followed
for _module in (
    by_case,
    symbols,
    sessions,
    clusters,
    estimators,
    architectures,
    mistakes,
    without_case,
):
    assert not set(_module.FOLLOWED) & set(FOLLOWED)
    FOLLOWED |= _module.FOLLOWED
