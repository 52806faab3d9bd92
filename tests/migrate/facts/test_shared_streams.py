"""A generator that goes on in a stream outside of it, and an iterator that starts it again."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

PROGRAM = """\
import numpy as np
import tensorflow as tf
X = np.arange(192.0).reshape(64, 3).astype(np.float32)
stream = iter(range(64))
def generate():
    {rows}
ds = tf.data.Dataset.from_generator(generate, tf.float32, [3]).batch(4)
it = ds.make_initializable_iterator()
x = it.get_next()
w = tf.get_variable("w", [3, 1])
loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    {start}
        for i in range(3):
            print(sess.run([train, loss])[1])
"""
SHARED = "for i in stream:\n        yield X[i]"
OWN = "for i in iter(range(64)):\n        yield X[i]"
AGAIN = "for epoch in range(3):\n        sess.run(it.initializer)"
ONCE = "sess.run(it.initializer)\n    for epoch in range(3):"


@pytest.mark.parametrize(
    ("rows", "start", "refused"),
    [(SHARED, AGAIN, True), (SHARED, ONCE, False), (OWN, AGAIN, False)],
)
def test_a_stream_that_is_started_again_is_refused(
    rows: str, start: str, refused: bool
) -> None:
    """TF 2's iterator asks its generator for one element more than is taken (measured)."""
    findings = migrate_text(PROGRAM.format(rows=rows, start=start)).findings
    codes = {f.code for f in findings if f.outcome is Outcome.REFUSED} - {"N100"}
    assert codes == ({"I101"} if refused else set())
