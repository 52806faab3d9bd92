"""Names from before TensorFlow 1.0: TensorFlow 1.15.5 has none of them, and all the new ones."""

from __future__ import annotations

import json
import subprocess

from migrate.compiler import migrate_text
from migrate.tables import before_one

ASK = """
import json, sys
import tensorflow as tf
tf.contrib

def has(name):
    found = tf
    try:
        for part in name.split(".")[1:]:
            found = getattr(found, part)
    except AttributeError:
        return False
    return True

print(json.dumps({name: has(name) for name in json.loads(sys.argv[1])}))
"""


def _has(tf1: str, names: list[str]) -> dict[str, bool]:
    done = subprocess.run(
        [tf1, "-c", ASK, json.dumps(names)],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


def test_old_names_are_gone_and_new_ones_are_there(tf1: str) -> None:
    wrong = ["tf.multiply_by", "tf.train.NoWriter"]
    names = [*before_one.RENAMED, *before_one.RENAMED.values(), *wrong]
    found = _has(tf1, names)
    assert not any(found[name] for name in (*before_one.RENAMED, *wrong))
    assert all(found[name] for name in before_one.RENAMED.values())


# A session's class, and in it a name that no TensorFlow of today has.
CLASS = """\
import numpy as np
import tensorflow as tf


class Model(object):
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 3])
        w = tf.Variable(tf.zeros([3, 1]))
        self.y = tf.matmul(self.x, w)

    def losses(self):
        self.loss = tf.{name}(100.0, tf.reduce_mean(tf.square(self.y - 1)))
        self.train_op = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)

    def train(self):
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for i in range(3):
                print(sess.run([self.train_op, self.loss], {{self.x: np.ones((2, 3))}}))


model = Model()
model.losses()
model.train()
"""


def test_the_name_is_the_reason_wherever_it_stands() -> None:
    """Not that the loss, which is made of it, could not be found."""
    assert migrate_text(CLASS.format(name="multiply")).text != CLASS
    found = [
        (f.code, f.line, f.reason, f.recipe)
        for f in migrate_text(CLASS.format(name="mul")).findings
        if f.outcome.value == "refused" and f.code != "N100"
    ]
    assert [(code, line) for code, line, _, _ in found] == [("T111", 12)]
    (_, _, reason, recipe) = found[0]
    assert reason == "TensorFlow 1.15 has no `tf.mul` either"
    assert "`tf.multiply`" in recipe
