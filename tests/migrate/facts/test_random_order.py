"""Random numbers that a seed does not keep are said; variables of one seed begin alike."""

from __future__ import annotations

import numpy as np
import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from tests.migrate.normalise.test_step_functions import HEAD, TAIL


def codes(body: str, tail: str = TAIL) -> dict[str, Outcome]:
    lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
    migration = migrate_text(HEAD + lines + tail)
    assert not any(f.outcome is Outcome.FAILED for f in migration.findings)
    return {f.code: f.outcome for f in migration.findings}


DATA = """
data = tf.data.Dataset.range(9).{chain}
elements = data.make_initializable_iterator()
loss = tf.cast(elements.get_next(), tf.float32) * tf.Variable(1.0)
"""
AGAIN = TAIL.replace(
    "    while", "    sess.run(elements.initializer)\n    while"
).replace(", feed_dict={x: [[1.0, 2.0]]}", "")


@pytest.mark.parametrize(
    ("chain", "said"),
    [
        ("shuffle(9, seed=1).repeat()", True),
        ("shuffle(9, 1).repeat(2)", True),
        ("shuffle(9).repeat()", False),
        ("shuffle(9, seed=None).repeat()", False),
        ("shuffle(9, seed=1).batch(3).repeat()", False),
        ("repeat().shuffle(9, seed=1)", False),
    ],
)
def test_another_order_of_the_fused_shuffle_is_said(chain: str, said: bool) -> None:
    tail = TAIL.replace(", feed_dict={x: [[1.0, 2.0]]}", "")
    assert (codes(DATA.format(chain=chain), tail).get("I112") is Outcome.WARNED) == said


INPUT = """
import tensorflow as tf

def train_input_fn():
    data = tf.data.Dataset.range(9)
    data = data.{first}
    data = data.{then}
    return data.batch(3)
"""


@pytest.mark.parametrize(
    ("first", "then", "said"),
    [
        ("shuffle(9, seed=1)", "repeat()", True),
        ("shuffle(9)", "repeat()", False),
        ("repeat()", "shuffle(9, seed=1)", False),
        ("shuffle(9, seed=1)", "map(abs).repeat()", False),
        ("take(5)", "shuffle(9, seed=1).repeat(2)", True),
    ],
)
def test_it_is_said_of_an_estimators_input(first: str, then: str, said: bool) -> None:
    found = migrate_text(INPUT.format(first=first, then=then)).findings
    assert any(f.code == "I112" for f in found) == said


@pytest.mark.parametrize("seed", ["", ", seed=1"])
def test_another_order_in_the_next_pass_is_said(seed: str) -> None:
    found = codes(DATA.format(chain=f"shuffle(9{seed})"), AGAIN)
    assert (found.get("I112") is Outcome.WARNED) == bool(seed)


DRAW = "noisy = x + tf.random_normal([2]{seed})\nloss = tf.reduce_sum(noisy * tf.Variable(1.0))"
TWO_RUNS = TAIL + "        sess.run(loss, {x: [[1.0, 2.0]]})\n"


@pytest.mark.parametrize(
    ("seed", "tail", "said"),
    [
        (", seed=4", TWO_RUNS, True),
        (", seed=0", TWO_RUNS, True),
        (", seed=None", TWO_RUNS, False),
        ("", TWO_RUNS, False),
        (", seed=4", TAIL, False),
    ],
)
def test_streams_of_several_steps_are_said(seed: str, tail: str, said: bool) -> None:
    assert ("I112" in codes(DRAW.format(seed=seed), tail)) == said


def test_a_variable_in_a_step_is_refused() -> None:
    text = (
        """
class Model(object):
    def __call__(self, x):
        return x * tf.get_variable("w", [2])
"""
        + HEAD
        + "    loss = tf.reduce_sum(Model()(x))"
        + TAIL
    )
    text = "import tensorflow as tf\n" + text
    refused = {
        f.code for f in migrate_text(text).findings if f.outcome is Outcome.REFUSED
    }
    assert "N104" in refused


def test_variables_of_one_seed_begin_alike() -> None:
    import tensorflow as tf

    from migrate.support import training_session

    replicas = training_session.SynchronousReplicas(tf.distribute.get_strategy(), 0)
    make = tf.compat.v1.truncated_normal_initializer(seed=11)
    make([3])  # Whatever was drawn before.
    with replicas.recording():
        first = tf.Variable(make([3]))
        second = tf.Variable(tf.random.truncated_normal([3], seed=11))
    # What TensorFlow 1.15.5 draws by this seed.
    expected = np.float32([1.4039429, -1.6896279, -0.21134049])
    np.testing.assert_allclose(first.numpy(), expected, rtol=1e-6)
    np.testing.assert_array_equal(first.numpy(), second.numpy())
