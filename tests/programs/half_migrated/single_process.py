"""What the programs beside this file mean, by hand, in one process without a cluster.

python single_process.py FILE.json      writes the losses of every step, by program
"""

import json
import sys

import numpy as np
import tensorflow as tf
import tf_keras

rng = np.random.RandomState(0)
features = rng.randn(50, 4).astype("float32")
labels = (features.sum(1) > 0).astype("int64")


def weights():
    shapes = ((4, 8), 1), ((8, 2), 2)
    return [
        part
        for shape, seed in shapes
        for part in (
            tf.Variable(tf_keras.initializers.GlorotUniform(seed)(shape)),
            tf.Variable(tf.zeros(shape[1:])),
        )
    ]


def logits(w, x):
    return tf.nn.relu(x @ w[0] + w[1]) @ w[2] + w[3]


def cross_entropy(w, x, y):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits(w, x))


def mean(w, x, y):
    return tf.reduce_mean(cross_entropy(w, x, y))


def sum_of_seven(w, x, y):
    return tf.reduce_sum(cross_entropy(w, x, y)) / 7


def penalised(w, x, y):
    error = tf.reduce_mean(tf.square(logits(w, x) - tf.one_hot(y, 2)))
    return error + 0.01 * tf.reduce_sum(tf.square(w[0]))


def train(loss_of, optimizer, dataset, epochs, clip=None):
    w = weights()
    losses = []
    for _ in range(epochs):
        for x, y in dataset:
            with tf.GradientTape() as tape:
                loss = loss_of(w, x, y)
            gradients = tape.gradient(loss, w)
            if clip is not None:
                gradients, _ = tf.clip_by_global_norm(gradients, clip)
            optimizer.apply_gradients(zip(gradients, w))
            losses.append(float(loss))
    return losses


def batches(size, seed=None, shard=None):
    data = tf.data.Dataset.from_tensor_slices((features, labels))
    if shard is not None:
        data = data.shard(2, shard)
    if seed is not None:
        data = data.shuffle(50, seed=seed)
    return data.batch(size)


def counted(loss_of, optimizer, batches, epochs, tested=False):
    """The mean of the steps' losses and the share of right answers, of each epoch.

    Where it is tested, the mean loss of the batches after it, too.
    """
    w = weights()
    told = []
    for _ in range(epochs):
        losses, right, seen = [], 0, 0
        for x, y in batches:
            with tf.GradientTape() as tape:
                loss = loss_of(w, x, y)
            answers = np.argmax(logits(w, x), 1)
            optimizer.apply_gradients(zip(tape.gradient(loss, w), w))
            losses.append(float(loss))
            right += np.sum(answers == y.numpy())
            seen += len(answers)
        told += [np.mean(losses), right / seen]
        if tested:
            told.append(np.mean([float(loss_of(w, x, y)) for x, y in batches]))
    return [float(x) for x in told]


def counted_in_shard(task):
    """What `metrics_shards` writes: the weights stay what they were."""
    w = weights()
    shard = list(batches(8, shard=task))
    losses = [float(mean(w, x, y)) for x, y in shard]
    answers = [np.argmax(logits(w, x), 1) == y.numpy() for x, y in shard]
    right = float(np.mean(np.concatenate(answers)))
    means = [float(np.mean(losses[: i + 1])) for i in range(0, len(losses), 2)]
    return (means + [right]) * 4


def layer(units, seed, activation=None, **kwargs):
    initial = tf_keras.initializers.GlorotUniform(seed)
    return tf_keras.layers.Dense(
        units, activation, kernel_initializer=initial, **kwargs
    )


def fitted_on_servers():
    """What `fit_servers` tells, of one process."""
    model = tf_keras.Sequential(
        [
            layer(8, 1, "relu", input_shape=(4,)),
            tf_keras.layers.BatchNormalization(),
            layer(2, 2, "softmax"),
        ]
    )
    model.compile(adam(0.05), "sparse_categorical_crossentropy", ["accuracy"])
    test = features[40:], labels[40:]
    told = model.fit(
        *(features[:40], labels[:40], 16, 3, 0), shuffle=False, validation_data=test
    ).history
    names = ("loss", "accuracy", "val_loss", "val_accuracy")
    found = [value for name in names for value in told[name]]
    found += model.evaluate(features, labels, verbose=0)
    return found + [float(p) for p in model.predict(features[:7], verbose=0)[:, 0]]


def fitted_by_two():
    """What `fit_workers` tells: the weights after the six steps of two workers."""
    kernel = tf_keras.initializers.GlorotUniform(1)((4, 2)).numpy()
    kernel = kernel - 6 * 0.1 * features.mean(0)[:, np.newaxis] / 2
    return [float(np.mean(features @ kernel) - 6 * 0.1 / 2)]


def fitted_together():
    """What `fit_together` tells, of one process."""
    model = tf_keras.Sequential([layer(8, 1, "relu"), layer(2, 2)])
    loss = tf_keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(tf_keras.optimizers.SGD(0.2, momentum=0.9), loss, ["accuracy"])
    told = model.fit(
        features, labels, 10, 4, 0, shuffle=False, validation_split=0.2
    ).history
    found = [value for name in ("loss", "accuracy", "val_loss") for value in told[name]]
    return found + [float(p) for p in model.predict(features[:5], verbose=0)[:, 1]]


def drawn(task):
    """What `drawn` writes: each worker's generators begin as they were seeded."""
    w = weights()
    own, other = np.random.RandomState(11), np.random.RandomState(12)
    start, told = own.rand(), []
    for _ in range(4):
        for x, y in batches(8, shard=task):
            if own.rand() < 0.3:
                continue
            loss = float(mean(w, x, y))
            told.append(loss + own.uniform(-1, 1) + other.rand() + start)
    return told


def rows_of(cuts):
    return [(tf.constant(features[rows]), tf.constant(labels[rows])) for rows in cuts]


def cut_by_hand():
    """What `cut_by_hand` writes: an epoch shuffles the order of the last one."""
    own, order, cuts = np.random.RandomState(3), np.arange(50), []
    for _ in range(3):
        own.shuffle(order)
        cuts += [order[i : i + 16].copy() for i in range(0, 50, 16)]
    return train(mean, adam(0.05), rows_of(cuts), 1)


def of_all_after(loss_of, optimizer, batches):
    """The mean loss of all examples after every step."""
    w, told = weights(), []
    for x, y in batches:
        with tf.GradientTape() as tape:
            loss = loss_of(w, x, y)
        optimizer.apply_gradients(zip(tape.gradient(loss, w), w))
        told.append(float(mean(w, features, labels)))
    return told


def minimized_together():
    own = np.random.RandomState(3)
    drawn_rows = [own.choice(50, 7) for _ in range(10)]
    return of_all_after(mean, tf_keras.optimizers.SGD(0.2), rows_of(drawn_rows))


def with_accuracy(loss_of, optimizer, batches, epochs):
    """What train_on_batch gives: loss and accuracy of each batch, before its update."""
    w, told = weights(), []
    for x, y in [b for _ in range(epochs) for b in batches]:
        with tf.GradientTape() as tape:
            loss = loss_of(w, x, y)
        right = np.argmax(logits(w, x), 1) == y.numpy()
        optimizer.apply_gradients(zip(tape.gradient(loss, w), w))
        told += [float(loss), float(np.mean(right))]
    return told


def decayed(w, x, y):
    return mean(w, x, y) + 0.01 * tf.reduce_sum(tf.square(w[0]))


adam = tf_keras.optimizers.Adam
plain = train(mean, adam(0.05), batches(16), 3)
momentum = tf_keras.optimizers.SGD(0.5, momentum=0.9)
traces = {
    "setter": plain[:10],
    "workers_alone": train(mean, tf_keras.optimizers.SGD(0.2), batches(16), 3),
    "tape_in_loop": plain,
    "client": plain,
    "stop_hook": plain,
    "more_hooks": plain,
    "sum_clipped": train(sum_of_seven, momentum, batches(7), 2, clip=0.5),
    "penalised": train(penalised, tf_keras.optimizers.RMSprop(0.01), batches(16), 3),
    "shuffled": train(mean, adam(0.05), batches(16, seed=7), 3),
    "telling_loop": plain,
    "flagged_step": train(penalised, tf_keras.optimizers.RMSprop(0.01), batches(16), 3),
    "metrics_servers": counted(mean, adam(0.05), batches(16), 3, tested=True),
    "metrics_together": counted(mean, tf_keras.optimizers.SGD(0.2), batches(7), 3),
    "fit_servers": fitted_on_servers(),
    "fit_workers": fitted_by_two(),
    "fit_together": fitted_together(),
    "cut_by_hand": cut_by_hand(),
    "minimized_together": minimized_together(),
    "trainer_object": of_all_after(mean, adam(0.05), list(batches(16)) * 3),
    "train_on_batch": with_accuracy(mean, adam(0.05), batches(16), 3),
    "train_on_batch_together": with_accuracy(
        decayed, tf_keras.optimizers.SGD(), batches(16), 3
    ),
    "old_optimizer": of_all_after(
        mean, tf_keras.optimizers.SGD(0.2, momentum=0.9), list(batches(16)) * 3
    ),
    "drawn.0": drawn(0),
    "drawn.1": drawn(1),
    "metrics_shards.0": counted_in_shard(0),
    "metrics_shards.1": counted_in_shard(1),
}
with open(sys.argv[1], "w") as file:
    json.dump(traces, file)
