"""Steps outside of strategy.run: what they may be given, and what is left to the user."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

PROGRAM = """\
import tensorflow as tf
strategy = tf.distribute.MirroredStrategy()
data = tf.data.Dataset.from_tensor_slices((xs, ys)).batch(8)
with strategy.scope():
    net = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    rule = tf.keras.optimizers.SGD(0.1)
def step(net, rule, x, y):
    with tf.GradientTape() as tape:
        loss = LOSS
    rule.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
    return loss
"""
EACH = "tf.keras.losses.mse(y, net(x))"
LOOP = "for batch in data:\n    loss = step(net, rule, batch)\n"


def outcome(loop: str, loss: str = EACH, program: str = PROGRAM) -> Outcome:
    done = migrate_text(program.replace("LOSS", loss) + loop)
    (told,) = [f for f in done.findings if f.code == "D141"]
    mended = "strategy.run(step" in done.text
    assert mended == (told.outcome is Outcome.REWRITTEN) == ("tf_keras" in done.text)
    return told.outcome


@pytest.mark.parametrize(
    "loop",
    [
        LOOP,
        "for i, batch in enumerate(data):\n    print(step(net, rule, batch[0], batch[1]))\n",
        "for batch in data.take(3):\n    step(net, rule, *batch)\n",
        "for x, y in data:\n    step(net, rule, y=y, x=x)\n",
        "for batch in data:\n    x, y = batch\n    step(net, rule, x, y)\n",
    ],
)
@pytest.mark.parametrize(
    "loss",
    [
        EACH,
        "tf.reduce_mean(tf.square(net(x) - y))",
        "tf.keras.losses.MeanSquaredError()(y, net(x))",
    ],
)
def test_is_mended(loop: str, loss: str) -> None:
    if "MeanSquaredError" in loss:
        program = PROGRAM.replace(
            "def step", "mse = tf.keras.losses.MeanSquaredError()\ndef step"
        )
        assert outcome(loop, "mse(y, net(x))", program) is Outcome.REWRITTEN
    else:
        assert outcome(loop, loss) is Outcome.REWRITTEN


NEAR = {
    "the batch is looked at": LOOP + "    print(batch[0].shape)\n",
    "it is changed before the step": (
        "for x, y in data:\n    step(net, rule, tf.cast(x, tf.float32), y)\n"
    ),
    "something else changes in the loop": (
        "for batch in data:\n    rule = tf.keras.optimizers.SGD(0.1)\n"
        "    loss = step(net, rule, batch)\n"
    ),
    "no loop gives it": "step(net, rule, xs, ys)\n",
    "a loop over numbers": "for n in range(3):\n    step(net, rule, xs[n], ys[n])\n",
}


@pytest.mark.parametrize("name", NEAR)
def test_is_left_to_the_user(name: str) -> None:
    assert outcome(NEAR[name]) is Outcome.WARNED


@pytest.mark.parametrize(
    "program",
    [
        # Of how many parts an element is, is not seen.
        PROGRAM.replace("tf.data.Dataset.from_tensor_slices((xs, ys))", "read()"),
        # Keras 2 has no such function.
        PROGRAM.replace("net = ", "tf.keras.ops.shape\n    net = "),
        # A metric has the loss, too.
        PROGRAM.replace("    return loss", "    seen(loss)\n    return loss"),
        # What is returned is not the loss alone.
        PROGRAM.replace("    return loss", "    return loss, x"),
    ],
)
def test_a_program_is_left_to_the_user(program: str) -> None:
    done = migrate_text(program.replace("LOSS", EACH) + LOOP)
    assert "strategy.run(" not in done.text and "compute_average" not in done.text


def test_a_loss_per_example_that_replicas_run_is_not_changed() -> None:
    """The program may add up the replicas' results with strategy.reduce(axis=0)."""
    loop = (
        "for x, y in strategy.experimental_distribute_dataset(data):\n"
        "    strategy.run(step, args=(net, rule, x, y))\n"
    )
    done = migrate_text(PROGRAM.replace("LOSS", EACH) + loop)
    assert done.text == PROGRAM.replace("LOSS", EACH) + loop


@pytest.mark.parametrize(
    ("comment", "told"),
    [
        ("# 使用异步训练", True),
        ("# 各个副本异步地更新梯度。", True),
        ("# 这不是异步训练", False),
        ("# 异步加载数据", False),
        ("# 同步训练，而不是异步", False),
    ],
)
def test_chinese_comments_are_read(comment: str, told: bool) -> None:
    text = f"import tensorflow as tf\n{comment}\ns = tf.distribute.MirroredStrategy()\n"
    found = [f for f in migrate_text(text).findings if f.code == "D140"]
    assert [f.outcome for f in found] == [Outcome.KEPT] * told
