"""Variables of graph code get initial values that the code computes while a step is traced."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from migrate.support import graph_variables, plain_session  # noqa: E402

v1 = tf.compat.v1


def _make_replicas():  # type: ignore[no-untyped-def]
    return plain_session.LocalReplicas(tf.distribute.get_strategy())


INITIAL = {
    "constant": (lambda: tf.constant(0.25, shape=[3]), [0.25] * 3),
    "computed": (lambda: tf.linspace(0.0, 1.0, 3) * 2.0 + 1.0, [1.0, 2.0, 3.0]),
    "by a branch": (
        lambda: tf.cond(
            tf.constant(2.0) > 1.0, lambda: tf.ones([3]), lambda: tf.zeros([3])
        ),
        [1.0] * 3,
    ),
    "array": (lambda: np.float32([1.0, 2.0, 4.0]), [1.0, 2.0, 4.0]),
}


@pytest.mark.parametrize(("initial", "expected"), INITIAL.values(), ids=INITIAL)
def test_what_the_code_computes(initial, expected) -> None:  # type: ignore[no-untyped-def]
    replicas = _make_replicas()
    with tf.distribute.get_strategy().scope(), replicas.recording():
        graph_variables.keep(replicas)

        @replicas.step_function(tf.TensorSpec([None, 3], tf.float32))
        def compute(x):  # type: ignore[no-untyped-def]
            return x * v1.get_variable("w", initializer=initial())

    with plain_session.Session(replicas) as session:
        given = session.run(compute, np.ones([2, 3], "float32"))
        again = session.run(compute, np.ones([1, 3], "float32"))
    np.testing.assert_array_equal(given, [expected] * 2)
    np.testing.assert_array_equal(again, [expected])


def test_random_values_are_drawn_once() -> None:
    replicas = _make_replicas()
    with tf.distribute.get_strategy().scope(), replicas.recording():
        graph_variables.keep(replicas)

        @replicas.step_function()
        def compute():  # type: ignore[no-untyped-def]
            return v1.get_variable("w", initializer=tf.random.normal([64])) + 0.0

    with plain_session.Session(replicas) as session:
        first, second = session.run(compute), session.run(compute)
    np.testing.assert_array_equal(first, second)
    assert first.std() > 0.5


def test_a_value_of_the_steps_input_is_refused() -> None:
    replicas = _make_replicas()
    with tf.distribute.get_strategy().scope(), replicas.recording():
        graph_variables.keep(replicas)
        with pytest.raises(ValueError, match="depends on what the step is given"):

            @replicas.step_function(tf.TensorSpec([3], tf.float32))
            def compute(x):  # type: ignore[no-untyped-def]
                return v1.get_variable("w", initializer=x * 2.0)

            with plain_session.Session(replicas) as session:
                session.run(compute, np.ones([3], "float32"))
