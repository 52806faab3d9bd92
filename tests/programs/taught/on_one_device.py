"""What the programs beside this file mean, by hand, on one device with the whole batch.

python on_one_device.py --dir=DIR       writes the losses and the weights' sum, by program
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


def trained(weights, forward, each, optimizer, dataset):
    found = []
    for _ in range(3):
        for x, y in dataset.batch(8):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(each(y, forward(weights, x)))
            optimizer.apply_gradients(
                zip(tape.gradient(loss, weights), weights, strict=True)
            )
            found.append(float(loss))
    return [*found, float(sum(w.numpy().sum() for w in weights))]


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
}
with open(sys.argv[1].split("=")[1] + "/truth.json", "w") as file:
    json.dump(truth, file)
