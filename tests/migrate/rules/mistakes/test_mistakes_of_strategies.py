"""Mistakes in the steps of a strategy: the official tutorial's form, classes, functions."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

# TensorFlow's own tutorial, by what computes the loss.
TUTORIAL = """\
import tensorflow as tf
import numpy as np
strategy = tf.distribute.MirroredStrategy()
print("Number of devices: {}".format(strategy.num_replicas_in_sync))
BATCH_SIZE_PER_REPLICA = 64
GLOBAL_BATCH_SIZE = BATCH_SIZE_PER_REPLICA * strategy.num_replicas_in_sync
train_images = np.ones((64, 4), np.float32)
train_labels = np.ones((64,), np.int64)
train_dataset = tf.data.Dataset.from_tensor_slices((train_images, train_labels)).shuffle(100).batch(GLOBAL_BATCH_SIZE)
train_dist_dataset = strategy.experimental_distribute_dataset(train_dataset)
with strategy.scope():
    loss_object = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction=tf.keras.losses.Reduction.NONE)
    def compute_loss(labels, predictions):
        per_example_loss = loss_object(labels, predictions)
        %s
    model = tf.keras.Sequential([tf.keras.layers.Dense(10)])
    optimizer = tf.keras.optimizers.Adam()
def train_step(inputs):
    images, labels = inputs
    with tf.GradientTape() as tape:
        predictions = model(images, training=True)
        loss = compute_loss(labels, predictions)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss
@tf.function
def distributed_train_step(dataset_inputs):
    per_replica_losses = strategy.run(train_step, args=(dataset_inputs,))
    return strategy.reduce(tf.distribute.ReduceOp.SUM, per_replica_losses, axis=None)
for epoch in range(2):
    total_loss = 0.0
    for x in train_dist_dataset:
        total_loss += distributed_train_step(x)
"""
AVERAGE = (
    "return tf.nn.compute_average_loss(per_example_loss, "
    "global_batch_size=GLOBAL_BATCH_SIZE)"
)
IN_STEP = "        loss = compute_loss(labels, predictions)"
# A class that is given its strategy: the loss, what is done with the dataset, the loop.
TRAINER = """\
import tensorflow as tf
class Trainer(object):
    def __init__(self, strategy, batch_size):
        self.strategy = strategy
        self.batch_size = batch_size
        with self.strategy.scope():
            self.model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
            self.optimizer = tf.keras.optimizers.SGD(0.1)
            self.loss_object = tf.keras.losses.MeanSquaredError(reduction=tf.keras.losses.Reduction.NONE)
    def train_step(self, inputs):
        x, y = inputs
        with tf.GradientTape() as tape:
            pred = self.model(x, training=True)
            loss = %s
        grads = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.model.trainable_variables))
        return loss
    @tf.function
    def distributed_step(self, inputs):
        losses = self.strategy.run(self.train_step, args=(inputs,))
        return self.strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)
    def fit(self, dataset):
        %s
        for batch in dataset:
            %s
def main():
    strategy = tf.distribute.MirroredStrategy()
    ds = tf.data.Dataset.from_tensor_slices((tf.ones((8, 4)), tf.ones((8, 1)))).batch(4)
    Trainer(strategy, 4).fit(ds)
main()
"""
OWN_AVERAGE = (
    "tf.nn.compute_average_loss(self.loss_object(y, pred), "
    "global_batch_size=self.batch_size)"
)
OWN = "dataset = self.strategy.experimental_distribute_dataset(dataset)"
# All of it in a function: the dataset, the loss, how the step is called.
IN_MAIN = """\
import tensorflow as tf
def main():
    strategy = tf.distribute.MirroredStrategy()
    ds = tf.data.Dataset.from_tensor_slices((tf.ones((8, 4)), tf.ones((8, 1)))).batch(4)
    %s
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        opt = tf.keras.optimizers.SGD(0.1)
        mse = tf.keras.losses.MeanSquaredError(reduction="none")
        def step(x, y):
            with tf.GradientTape() as tape:
                loss = %s
            g = tape.gradient(loss, model.trainable_variables)
            opt.apply_gradients(zip(g, model.trainable_variables))
            return loss
        @tf.function
        def dist_step(%s):
            return strategy.reduce("SUM", strategy.run(step, args=%s), axis=None)
        for %s in ds:
            print(%s)
if __name__ == "__main__":
    main()
"""
SHARED = "ds = strategy.experimental_distribute_dataset(ds)"
MEAN = "tf.nn.compute_average_loss(mse(y, model(x)), global_batch_size=4)"
PAIR = ("x, y", "(x, y)", "x, y", "dist_step(x, y)")
# A strategy that is chosen.
CHOSEN = """\
import tensorflow as tf
def get_strategy(n):
    if n > 1:
        return tf.distribute.MirroredStrategy()
    return tf.distribute.get_strategy()
strategy = get_strategy(2)
ds = tf.data.Dataset.from_tensor_slices((tf.ones((8, 4)), tf.ones((8, 1)))).batch(4)
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    opt = tf.keras.optimizers.SGD(0.1)
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(model(x) - y)) / 4
    g = tape.gradient(loss, model.trainable_variables)
    opt.apply_gradients(zip(g, model.trainable_variables))
for x, y in ds:
    %s
"""


def tutorial(old: str, new: str) -> str:
    """The tutorial as it should be, but for one thing."""
    program = TUTORIAL % AVERAGE
    assert old in program
    return program.replace(old, new)


OF_STRATEGIES = (
    (
        "D104",
        TUTORIAL % "return tf.reduce_mean(per_example_loss)",
        "compute_average_loss",
    ),
    (
        "D104",
        tutorial(
            IN_STEP, "        loss = tf.reduce_mean(loss_object(labels, predictions))"
        ),
        "loss = tf.nn.compute_average_loss(loss_object",
    ),
    (
        "D104",
        tutorial(
            IN_STEP,
            "        each = loss_object(labels, predictions)\n"
            "        loss = tf.reduce_sum(each) / BATCH_SIZE_PER_REPLICA",
        ),
        "tf.reduce_sum(each) / GLOBAL_BATCH_SIZE",
    ),
    (
        "D104",
        TUTORIAL
        % "return tf.reduce_sum(per_example_loss) * (1. / BATCH_SIZE_PER_REPLICA)",
        "* (1. / GLOBAL_BATCH_SIZE)",
    ),
    (
        "D104",
        TUTORIAL
        % (
            "return tf.nn.compute_average_loss(\n            per_example_loss, "
            "global_batch_size=BATCH_SIZE_PER_REPLICA)"
        ),
        "global_batch_size=GLOBAL_BATCH_SIZE)",
    ),
    (
        "D104",
        tutorial(
            IN_STEP,
            "        loss = loss_object(labels, predictions) / BATCH_SIZE_PER_REPLICA",
        ).replace("Reduction.NONE", "Reduction.SUM"),
        "predictions) / GLOBAL_BATCH_SIZE",
    ),
    (
        "D104",
        TUTORIAL % "loss = tf.reduce_mean(per_example_loss)\n        return loss",
        "loss = tf.nn.compute_average_loss(per_example_loss, global_batch_size="
        'tf.distribute.get_replica_context().all_reduce("SUM", tf.size(per_example_loss)))',
    ),
    (
        "D106",
        tutorial("in train_dist_dataset:", "in train_dataset:"),
        "_dataset(train_dataset):",
    ),
    (
        "D141",
        tutorial("+= distributed_train_step(x)", "+= train_step(x)"),
        'reduce("SUM", ',
    ),
    (
        "D142",
        tutorial("args=(dataset_inputs,)", "args=dataset_inputs"),
        "(dataset_inputs,)",
    ),
    (
        "D142",
        tutorial("(inputs):\n    images, labels = inputs", "(images, labels):"),
        "args=dataset_inputs)",
    ),
    (
        "D104",
        TRAINER
        % (
            "tf.reduce_mean(self.loss_object(y, pred))",
            OWN,
            "self.distributed_step(batch)",
        ),
        "tf.nn.compute_average_loss(self.loss_object(y, pred), global_batch_size="
        'tf.distribute.get_replica_context().all_reduce("SUM", tf.shape(y)[0]))',
    ),
    (
        "D106",
        TRAINER % (OWN_AVERAGE, "pass", "self.distributed_step(batch)"),
        "in self.strategy.experimental_distribute_dataset(dataset):",
    ),
    (
        "D141",
        TRAINER % (OWN_AVERAGE, OWN, "self.train_step(batch)"),
        "self.strategy.run(self.train_step, args=(batch,))",
    ),
    (
        "D142",
        (TRAINER % (OWN_AVERAGE, OWN, "self.distributed_step(batch)")).replace(
            "(self, inputs):\n        x, y = inputs", "(self, x, y):"
        ),
        "args=inputs)",
    ),
    (
        "D104",
        IN_MAIN % (SHARED, "tf.reduce_mean(mse(y, model(x)))", *PAIR),
        "average_loss(mse",
    ),
    (
        "D104",
        IN_MAIN % (SHARED, "tf.reduce_mean(tf.square(model(x) - y))", *PAIR),
        'all_reduce("SUM", tf.shape(y)[0])',
    ),
    ("D106", IN_MAIN % ("pass", MEAN, *PAIR), "experimental_distribute_dataset(ds)"),
    (
        "D141",
        IN_MAIN % (SHARED, MEAN, *PAIR[:3], "step(x, y)"),
        'strategy.reduce("SUM", strategy.run(step, args=(x, y)), axis=None)',
    ),
    (
        "D142",
        IN_MAIN % (SHARED, MEAN, "batch", "(batch,)", "batch", "dist_step(batch)"),
        "args=batch",
    ),
    (
        "D106",
        CHOSEN % "strategy.run(step, args=(x, y))",
        "experimental_distribute_dataset(ds)",
    ),
    ("D141", CHOSEN % "step(x, y)", ""),
)
# The same without a mistake.
GOOD = (
    TUTORIAL % AVERAGE,
    TUTORIAL % "return tf.reduce_sum(per_example_loss) * (1. / GLOBAL_BATCH_SIZE)",
    # The whole batch is of the smaller number: a replica has a part of that.
    (
        TUTORIAL % "return tf.reduce_sum(per_example_loss) / BATCH_SIZE_PER_REPLICA"
    ).replace(".batch(GLOBAL_BATCH_SIZE)", ".batch(BATCH_SIZE_PER_REPLICA)"),
    TUTORIAL
    % "return tf.reduce_mean(per_example_loss) / strategy.num_replicas_in_sync",
    TUTORIAL
    % (
        "loss = tf.reduce_mean(per_example_loss)\n"
        "        loss /= strategy.num_replicas_in_sync\n"
        "        return loss"
    ),
    TRAINER % (OWN_AVERAGE, OWN, "self.distributed_step(batch)"),
    IN_MAIN % (SHARED, MEAN, *PAIR),
    # The step is given on, to what may replicate it.
    TRAINER % (OWN_AVERAGE, OWN, "self.helper(self.train_step, batch)"),
)


@pytest.mark.parametrize("code, program, mended", OF_STRATEGIES)
def test_is_found_and_mended(code: str, program: str, mended: str) -> None:
    done = migrate_text(program)
    # Keras becomes Keras 2 with a step that becomes the strategy's.
    (finding,) = [f for f in done.findings if f.code != "D158"]
    assert finding.code == code
    assert finding.outcome is (Outcome.REWRITTEN if mended else Outcome.WARNED)
    assert mended in done.text
    if mended:
        assert not migrate_text(done.text).findings


@pytest.mark.parametrize("program", GOOD)
def test_what_is_right_is_left_alone(program: str) -> None:
    done = migrate_text(program)
    assert done.text == program and not done.findings
