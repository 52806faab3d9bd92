"""Small programs of which one part was computed wrongly; TensorFlow 1.15.5 says what is right."""

from __future__ import annotations

import pathlib
import sys

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from tests.migrate.backends.running import run_together

_HEAD = """import sys
import tensorflow as tf
log = open(sys.argv[1].split('=')[1] + '/loss.0', 'w')
def note(value):
    log.write('0 %r\\n' % float(value))
"""
PROGRAMS = {
    "values with names that the tool writes": """
x = tf.placeholder(tf.float32, [None])
w = tf.get_variable('w', initializer=2.0)
variables = x * w
gradients = tf.reduce_sum(variables)
train = tf.train.GradientDescentOptimizer(0.1).minimize(gradients)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(2):
        given = sess.run([variables, gradients, train], {x: [1., 3.]})
        note(given[0].sum() + 10. * given[1])
    note(sess.run(w))
""",
    "gradients by hand, and such a name": """
x = tf.placeholder(tf.float32, [None])
w = tf.get_variable('w', initializer=2.0)
variables = {'x': x * w, 'w': w}
loss = tf.reduce_sum(variables['x'])
optimizer = tf.train.GradientDescentOptimizer(0.1)
pairs = optimizer.compute_gradients(loss)
train = optimizer.apply_gradients([(g * 2., v) for g, v in pairs])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(2):
        given = sess.run([variables['x'], train], {x: [1., 3.]})
        note(given[0].sum())
    note(sess.run(w))
""",
    "a dict and a list of learning rates": """
step = tf.Variable(0, trainable=False, name='global_step')
rates = {
    'exp': tf.train.exponential_decay(0.1, step, 3, 0.9),
    'inv': tf.train.inverse_time_decay(0.1, step, 2, 0.5),
    'pieces': tf.train.piecewise_constant(step, [1, 2], [1.0, 0.5, 0.1]),
}
count = tf.assign_add(step, 1)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        values = sess.run(rates)
        for name in sorted(values):
            note(values[name])
        sess.run(count)
""",
    "a check that a run fetches": """
x = tf.placeholder(tf.float32, [None])
check = tf.Assert(tf.reduce_all(x < 10.), [x])
positive = tf.assert_positive(x)
w = tf.get_variable('w', initializer=2.0)
loss = tf.reduce_sum(x * w)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    note(sess.run(check, {x: [1.]}) is None)
    given = sess.run([positive, train, loss], {x: [1., 2.]})
    note(given[0] is None)
    note(given[2])
    try:
        sess.run(check, {x: [100.]})
    except tf.errors.InvalidArgumentError:
        note(17.)
    note(sess.run(w))
""",
    "a dataset that has no name": """
x = tf.data.Dataset.range(4).map(lambda v: tf.log(tf.to_float(v) + 1.)).apply(
    tf.contrib.data.batch_and_drop_remainder(3)).make_one_shot_iterator().get_next()
total = tf.reduce_sum(x)
with tf.Session() as sess:
    note(sess.run(total))
    try:
        sess.run(total)
    except tf.errors.OutOfRangeError:
        note(1.)
""",
    "a generator that shares its state with the loop": """
state = {'scale': 1.0, 'given': 0}
def generate():
    for i in range(6):
        state['given'] += 1
        yield state['scale'] * (i + 1)
x = tf.data.Dataset.from_generator(generate, tf.float32, []).make_one_shot_iterator().get_next()
w = tf.get_variable('w', initializer=1.0)
train = tf.train.GradientDescentOptimizer(0.1).minimize(w * x)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        sess.run(train)
        note(sess.run(w))
        note(state['given'])
        state['scale'] += 1.0
""",
    "cases in a dict": """
x = tf.placeholder(tf.int32, [])
value = tf.case({tf.equal(x, 1): lambda: tf.constant(10.), tf.equal(x, 2): lambda: tf.constant(20.)},
                default=lambda: tf.constant(-1.), exclusive=True)
with tf.Session() as sess:
    for i in range(4):
        note(sess.run(value, {x: i}))
""",
}
PROGRAMS = {name: f"{_HEAD}{text}log.close()\n" for name, text in PROGRAMS.items()}


def test_equal_to_tf1(tf1: str, tmp_path: pathlib.Path) -> None:
    texts = {}
    for name, program in PROGRAMS.items():
        migration = migrate_text(program)
        assert not [f for f in migration.findings if f.outcome is Outcome.REFUSED], name
        texts[name] = migration.text
    old = run_together(tf1, PROGRAMS, tmp_path / "old")
    new = run_together(sys.executable, texts, tmp_path / "new")
    for name, values in old.items():
        assert len(values) > 1
        assert new[name] == pytest.approx(values, rel=2e-6), name


def test_cases_whose_order_counts_are_refused() -> None:
    program = PROGRAMS["cases in a dict"].replace("exclusive=True", "exclusive=False")
    codes = {
        f.code
        for f in migrate_text(program).findings
        if f.outcome is Outcome.REFUSED and f.reason.startswith("the pairs are a dict")
    }
    assert codes == {"V127"}


FED = """\
import numpy as np
import tensorflow as tf
def generate():
    while True:
        yield np.random.rand(2)
made = tf.data.Dataset.from_generator(generate, tf.float64, [2]).make_one_shot_iterator()
x = made.get_next()
p = tf.placeholder(tf.float64, [2])
y = x + p
with tf.Session() as sess:
    print(sess.run(y, {p: np.random.rand(2)}))
"""


def test_a_feed_is_not_computed_after_a_generator_ran() -> None:
    refused = [
        f
        for f in migrate_text(FED).findings
        if f.outcome is Outcome.REFUSED and f.line == 11
    ]
    assert "I101" in {f.code for f in refused}
    before = FED.replace("    print(", "    v = np.random.rand(2)\n    print(")
    done = migrate_text(before.replace("{p: np.random.rand(2)}", "{p: v}"))
    assert not [f for f in done.findings if f.outcome is Outcome.REFUSED]
