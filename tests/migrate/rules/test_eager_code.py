"""Code that TensorFlow 1 ran eagerly, with tf.contrib.eager, computes the same in TensorFlow 2."""

from __future__ import annotations

import pathlib

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from tests import ledger
from tests.migrate.backends import running

_PROGRAM = """
import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
tfe = tf.contrib.eager
xs = np.linspace(0, 1, 40).reshape(20, 2).astype(np.float32)
ys = (xs @ [[1.0], [2.0]]).astype(np.float32)
dataset = tf.data.Dataset.from_tensor_slices((xs, ys)).repeat().batch(4)
w = tfe.Variable([[0.5], [-1.0]], name="w")
step = tf.train.get_or_create_global_step()
optimizer = tf.train.AdamOptimizer(0.1)


def compute_loss(x, y):
    return tf.reduce_mean(tf.square(tf.matmul(x, w) - y))


def cube(x, y):
    return x * x * x + 2.0 * y


differentiate = tfe.implicit_value_and_gradients(compute_loss)
for x, y in tfe.Iterator(dataset):
    loss, gradients = differentiate(x, y)
    optimizer.apply_gradients(gradients, global_step=step)
    print(tf.train.global_step(None, step), "%.4f" % loss)
    if tf.train.get_global_step().numpy() == 5:
        break
print(["%.4f" % g for g in tfe.gradients_function(cube)(3.0, 1.0)])
print(["%.4f" % g for g in tfe.value_and_gradients_function(cube, ["x"])(2.0, 1.0)[1]])
print(["%.4f" % value for value in w.numpy().ravel()])
"""


def test_a_program_prints_the_same(tmp_path: pathlib.Path, tf1: str) -> None:
    ledger.rests_on(ledger.COMPILER)
    migrated = migrate_text(_PROGRAM)
    assert not [f for f in migrated.findings if f.outcome is Outcome.REFUSED]
    assert "contrib" not in migrated.text and "tfe" not in migrated.text
    for name, text, same in (
        ("as it is", migrated.text, True),
        ("planted", migrated.text.replace("x * x * x", "x * x"), False),
    ):
        (tmp_path / name).mkdir()
        old, new = running.print_both(tf1, _PROGRAM, text, tmp_path / name)
        assert (old == new) is same, (name, old, new)


@pytest.mark.parametrize(
    "alias",
    [
        "tfe = tf.contrib.eager\nif len(tfe.__name__) > 3:\n    tfe = None",
        "tfe = tf.contrib.eager\nprint(tfe)",
        "tfe = other = tf.contrib.eager",
        "class Names:\n    tfe = tf.contrib.eager\n\n\ntfe = Names.tfe",
    ],
)
def test_a_name_of_contrib_that_is_used_otherwise_is_refused(alias: str) -> None:
    text = f"import tensorflow as tf\n{alias}\nw = tfe.Variable(1.0)\n"
    found = migrate_text(text)
    assert {f.code for f in found.findings if f.outcome is Outcome.REFUSED} >= {"T111"}


def test_only_eager_code_asks_compat_for_the_global_step() -> None:
    text = "import tensorflow as tf\nstep = tf.train.get_or_create_global_step()\n"
    refused = [
        f.code for f in migrate_text(text).findings if f.outcome is Outcome.REFUSED
    ]
    assert refused == ["N105"]
