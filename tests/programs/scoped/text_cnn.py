"""Sentences by filters of several widths: a scope for each width, a table on the CPU."""

import numpy as np
import tensorflow as tf

WORDS = 40


def uniform(seed):
    return tf.random_uniform_initializer(-0.3, 0.3, seed=seed)


def model_fn(features, labels, mode, params):
    is_training = mode == tf.estimator.ModeKeys.TRAIN
    with tf.device("/cpu:0"), tf.name_scope("embedding"):
        # One row for each word.
        table = tf.get_variable(
            "embedding", [WORDS, params["dim"]], initializer=uniform(1)
        )
        embedded = tf.nn.embedding_lookup(table, features["words"])

    pooled_outputs = []
    for i, size in enumerate(params["filter_sizes"]):
        with tf.variable_scope("conv-%s" % size):
            conv = tf.layers.conv1d(
                embedded,
                params["num_filters"],
                size,
                activation=tf.nn.relu,
                kernel_initializer=uniform(10 + i),
            )
            pooled = tf.reduce_max(conv, axis=1)
            pooled_outputs.append(pooled)
    net = tf.concat(pooled_outputs, axis=1)
    net = tf.layers.dropout(net, 0.3, training=is_training, seed=3)

    with tf.variable_scope("output"):
        logits = tf.layers.dense(
            net,
            params["classes"],
            kernel_initializer=uniform(5),
            kernel_regularizer=tf.contrib.layers.l2_regularizer(0.01),
        )
    predictions = {"classes": tf.argmax(logits, 1), "logits": logits}
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions=predictions)

    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    loss += tf.losses.get_regularization_loss()
    if mode == tf.estimator.ModeKeys.EVAL:
        metrics = {"accuracy": tf.metrics.accuracy(labels, predictions["classes"])}
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)
    train_op = tf.train.AdamOptimizer(0.01).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn(seed, epochs):
    rng = np.random.RandomState(seed)
    words = rng.randint(WORDS, size=[64, 9])
    label = ((words[:, 0] + words[:, 1]) % 3).astype(np.int32)
    data = tf.data.Dataset.from_tensor_slices(({"words": words}, label))
    return data.repeat(epochs).batch(16)


def run(directory):
    params = {"dim": 6, "num_filters": 4, "classes": 3, "filter_sizes": [2, 3, 4]}
    estimator = tf.estimator.Estimator(model_fn, directory, params=params)
    estimator.train(lambda: input_fn(1, 4), steps=15)
    results = dict(estimator.evaluate(lambda: input_fn(2, 1)))
    for name in ("classes", "logits"):
        results[name] = [p[name] for p in estimator.predict(lambda: input_fn(2, 1))]
    for name in estimator.get_variable_names():
        results["variable/" + name] = estimator.get_variable_value(name)
    return results
