"""S185 says where a session goes that the tool does not follow."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text

PROGRAM = """\
import numpy as np
import tensorflow as tf


class Trainer(object):
    def __init__(self, sess=None):
        self.sess = sess

    def step(self, batch):
        return self.sess.run(train, {x: batch})

    def step_by(self, session, batch):
        return session.run(train, {x: batch})


def step(session, batch):
    return session.run(train, {x: batch})


kept = Trainer()
x = tf.placeholder(tf.float32, [None, 3])
w = tf.Variable(np.zeros([3, 1], np.float32))
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    batch = np.ones([2, 3])
    for i in range(3):
        RUN
"""
FOLLOWED = "step(sess, batch)"


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        ("[one.step(batch) for one in [Trainer(sess)]]", "the class `Trainer` of this"),
        ("kept.step_by(sess, batch)", "the method `step_by` gets the session"),
        ("kept.sess = sess", "`sess` is kept in another object here"),
        ("unread(sess)", "code that the tool does not read"),
    ],
)
def test_the_reason_says_where_the_session_goes(run: str, reason: str) -> None:
    text = PROGRAM.replace("RUN", run)
    text = text.replace("import numpy", "from elsewhere import unread\nimport numpy")
    found = [f for f in migrate_text(text).findings if f.code == "S185"]
    assert reason in found[0].reason


def test_the_recipe_leads_to_a_program_that_is_migrated() -> None:
    text = PROGRAM.replace("RUN", FOLLOWED)
    start, end = text.index("    def step(self"), text.index("def step(session")
    text = text[:start].replace("sess", "n") + "\n" + text[end:]
    assert not [f for f in migrate_text(text).findings if f.blocks]
