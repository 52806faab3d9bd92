"""A tensor inside the graph is fed to runs that train other variables than those behind it.

What migrates is compared with TensorFlow 1.15.5 by `actor_and_critic` of `programs/alone`.
"""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

PROGRAM = """import numpy as np
import tensorflow as tf
class Holder: pass
holder = Holder()
x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 2], initializer=tf.constant_initializer(0.3))
v = tf.get_variable("v", [2, 1], initializer=tf.constant_initializer(0.5))
{before}
{hidden} = tf.matmul(x, {weights})
loss = tf.reduce_mean(tf.square(tf.matmul({hidden}, v))) + tf.reduce_sum(w)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, var_list={trained})
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([loss, train], {{x: np.ones([4, 3]), {hidden}: np.ones([4, 2])}})[0])
"""


def _refused(
    trained: str, before: str = "", weights: str = "w", hidden: str = "h"
) -> set[tuple[str, str]]:
    text = PROGRAM.format(
        trained=trained, before=before, weights=weights, hidden=hidden
    )
    found = migrate_text(text).findings
    loud = (Outcome.REFUSED, Outcome.FAILED)
    return {(f.code, f.reason) for f in found if f.outcome in loud and f.code != "N100"}


def test_other_variables_may_be_trained() -> None:
    assert not _refused("[v]")


@pytest.mark.parametrize(
    "given",
    [
        {"trained": "[w, v]"},
        {"trained": "tf.trainable_variables()"},
        {"trained": "[same, v]", "before": "same = w"},
        {"trained": "[w, v]", "before": "same = w", "weights": "same"},
    ],
)
def test_those_behind_it_may_not_under_whatever_name(given: dict[str, str]) -> None:
    """TensorFlow 1's gradients went through what was fed; under another name nobody saw it."""
    assert {code for code, _ in _refused(**given)} == {"S107"}


def test_a_tensor_of_an_object_is_refused_at_its_line() -> None:
    assert _refused("[v]", hidden="holder.h") == {
        ("S107", "the run feeds the tensor of an object")
    }
