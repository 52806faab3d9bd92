"""Sessions beside an Estimator: those that look at its input are taken, others are not."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

PROGRAM = """\
import tensorflow as tf
from data import imported_input_fn


def input_fn():
    dataset = tf.data.Dataset.range(4).batch(2)
    return dataset.make_one_shot_iterator().get_next()


def two():
    number = input_fn()
    return [number, number]


def constants():
    return tf.random_uniform([2])


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.layers.dense(features, 1))
    return tf.estimator.EstimatorSpec(mode, loss=loss)


{look}

estimator = tf.estimator.Estimator(model_fn)
estimator.evaluate(input_fn)
"""
TAKEN = {
    "its first batch": (
        "with tf.Session() as sess:\n    print(sess.run(input_fn()))",
        "print(estimator_loop.first_batch(input_fn))",
    ),
    "named": (
        "batch = input_fn()\nwith tf.Session() as sess:\n    print(sess.run(batch))",
        "batch = estimator_loop.Batches(input_fn)\nprint(batch.next())",
    ),
    "by a lambda": (
        "read = lambda: input_fn()\nwith tf.Session() as sess:\n"
        "    sess.run(tf.tables_initializer())\n    x = sess.run(read())\n    print(x)",
        "x = estimator_loop.first_batch(read)\nprint(x)",
    ),
    "assigned and closed": (
        "sess = tf.Session()\nsess.run(tf.global_variables_initializer())\n"
        "for i in range(2):\n    print(i, sess.run(input_fn()))\nsess.close()",
        "for i in range(2):\n    print(i, estimator_loop.first_batch(input_fn))\n",
    ),
    "under a condition": (
        "if DEBUG:\n    # Looks.\n    with tf.Session() as sess:\n"
        "        print(sess.run(input_fn()))",
        "if DEBUG:\n    # Looks.\n    print(estimator_loop.first_batch(input_fn))",
    ),
}
LEFT = {
    "another tensor": "x = input_fn() + 1\nwith tf.Session() as s:\n    print(s.run(x))",
    "of more than its batch": "x = input_fn()\ny = x * 2\n"
    "with tf.Session() as s:\n    print(s.run(x), s.run(y))",
    "fed": "x = input_fn()\nwith tf.Session() as s:\n    print(s.run(x, {x: [1, 2]}))",
    "not in sight": "with tf.Session() as s:\n    print(s.run(imported_input_fn()))",
    "a list": "with tf.Session() as s:\n    print(s.run(two()))",
    "no dataset's": "with tf.Session() as s:\n    print(s.run(constants()))",
    "given away": "with tf.Session() as s:\n    print(s.run(input_fn()))\n    show(s)",
    "on a server": "with tf.Session('grpc://a:1') as s:\n    print(s.run(input_fn()))",
    "the default session": "with tf.Session() as s:\n    print(s.run(input_fn()))\n"
    "    print(tf.constant(1).eval())",
    "assigned twice": "s = tf.Session()\ns = tf.Session()\nprint(s.run(input_fn()))",
    "assigned and given away": "s = tf.Session()\nprint(s.run(input_fn()))\nshow(s)",
    "of a graph": "with tf.Session(graph=g) as s:\n    print(s.run(input_fn()))",
}


@pytest.mark.parametrize("name", TAKEN)
def test_a_look_at_the_input_needs_no_session(name: str) -> None:
    look, expected = TAKEN[name]
    migration = migrate_text(PROGRAM.format(look=look))
    assert not [f for f in migration.findings if f.outcome is Outcome.REFUSED]
    assert "S115" in {f.code for f in migration.findings}
    assert expected in migration.text
    assert "Session" not in migration.text
    assert migrate_text(migration.text).text == migration.text


def test_a_session_around_an_estimator_was_never_used() -> None:
    look = (
        "with tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n"
        "    tf.estimator.Estimator(model_fn).train(input_fn)"
    )
    migration = migrate_text(PROGRAM.format(look=look))
    assert not [f for f in migration.findings if f.outcome is Outcome.REFUSED]
    assert "\nestimator_loop.Estimator(model_fn).train(input_fn)" in migration.text or (
        "\nkeras_estimator.Estimator(" in migration.text
    )
    assert "sess" not in migration.text


@pytest.mark.parametrize("name", LEFT)
def test_other_sessions_are_refused(name: str) -> None:
    migration = migrate_text(PROGRAM.format(look=LEFT[name]))
    assert [f for f in migration.findings if f.outcome is Outcome.REFUSED]
    assert "S115" not in {f.code for f in migration.findings}
    assert "tf.Session" in migration.text
