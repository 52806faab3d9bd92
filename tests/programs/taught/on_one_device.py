"""What the programs beside this file mean, by hand, on one device with the whole batch.

python on_one_device.py --dir=DIR       writes the losses and the sum of squared weights, by program
"""

import json
import sys

import numpy as np
import tensorflow as tf
import tf_keras

rng = np.random.RandomState(0)
rows = rng.rand(40, 5).astype("float32")
kinds = (rows.sum(1) > 2.5).astype("int64")
sums = rows.sum(1, keepdims=True)


def layer(units, before, seed):
    return [
        tf.Variable(tf_keras.initializers.GlorotUniform(seed)((before, units))),
        tf.Variable(tf.zeros(units)),
    ]


def cross_entropy(y, logits):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)


def numbered(count):
    """What `next_rows` of the programs gives."""
    for number in range(count):
        drawn = np.random.RandomState(number).rand(8, 5).astype("float32")
        yield drawn, (drawn.sum(1) > 2.5).astype("int64")


def trained(weights, forward, each, optimizer, dataset, epochs=3):
    found = []
    for _ in range(epochs):
        for x, y in dataset.batch(8) if hasattr(dataset, "batch") else dataset:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(each(y, forward(weights, x)))
            optimizer.apply_gradients(
                zip(tape.gradient(loss, weights), weights, strict=True)
            )
            found.append(float(loss))
    return [*found, float(sum((w.numpy() ** 2).sum() for w in weights))]


def deep(activation):
    return lambda w, x: activation(x @ w[0] + w[1]) @ w[2] + w[3]


priced = tf.data.Dataset.from_tensor_slices((rows, sums)).shuffle(40, seed=3)
sorted_ = tf.data.Dataset.from_tensor_slices((rows, kinds))
truth = {
    "mirrored_text": trained(
        [*layer(6, 5, 1), *layer(1, 6, 2)],
        deep(tf.tanh),
        lambda y, guess: tf.reduce_mean(tf.square(y - guess), -1),
        tf_keras.optimizers.SGD(0.05, momentum=0.5),
        priced,
    ),
    "mirrored_parts": trained(
        [*layer(6, 5, 1), *layer(2, 6, 2)],
        deep(tf.nn.relu),
        cross_entropy,
        tf_keras.optimizers.Adam(0.02),
        sorted_,
    ),
    "mirrored_starred": trained(
        layer(2, 5, 2),
        lambda w, x: x @ w[0] + w[1],
        cross_entropy,
        tf_keras.optimizers.Adagrad(0.1),
        sorted_,
    ),
    "bare_servers": trained(
        [*layer(6, 5, 1), *layer(2, 6, 2)],
        deep(tf.nn.relu),
        cross_entropy,
        tf_keras.optimizers.Adam(0.02),
        list(numbered(5)),
    )[-1:],
    "bare_dataset": trained(
        [*layer(6, 5, 1), *layer(2, 6, 2)],
        deep(tf.nn.relu),
        cross_entropy,
        tf_keras.optimizers.Adam(0.02),
        sorted_,
    )[:-1],
}
linear = trained(
    layer(2, 5, 2),
    lambda w, x: x @ w[0] + w[1],
    cross_entropy,
    tf_keras.optimizers.SGD(0.5),
    list(numbered(10)),
    epochs=1,
)
truth["bare_function"], truth["bare_workers"] = linear[:-1], linear[-1:]
with open(sys.argv[1].split("=")[1] + "/truth.json", "w") as file:
    json.dump(truth, file)
