"""Sentences by filters whose weights are written by hand, in a scope for each width."""

import numpy as np
import tensorflow as tf

LENGTH, WORDS = 8, 30


def normal(seed):
    return tf.truncated_normal_initializer(stddev=0.2, seed=seed)


def model_fn(features, labels, mode, params):
    dim, num_filters = params["dim"], params["num_filters"]
    table = tf.get_variable("W", [WORDS, dim], initializer=normal(1))
    words = tf.nn.embedding_lookup(table, features["words"])
    expanded = tf.expand_dims(words, -1)
    pooled_outputs = []
    for i, filter_size in enumerate(params["filter_sizes"]):
        with tf.variable_scope("conv-maxpool-%s" % filter_size):
            filter_shape = [filter_size, dim, 1, num_filters]
            w = tf.get_variable("W", filter_shape, initializer=normal(i + 2))
            b = tf.get_variable(
                "b", [num_filters], initializer=tf.constant_initializer(0.1)
            )
            conv = tf.nn.conv2d(
                expanded, w, strides=[1, 1, 1, 1], padding="VALID", name="conv"
            )
            h = tf.nn.relu(tf.nn.bias_add(conv, b), name="relu")
            pooled = tf.nn.max_pool(
                h,
                ksize=[1, LENGTH - filter_size + 1, 1, 1],
                strides=[1, 1, 1, 1],
                padding="VALID",
                name="pool",
            )
            pooled_outputs.append(pooled)
    total = num_filters * len(params["filter_sizes"])
    net = tf.reshape(tf.concat(pooled_outputs, 3), [-1, total])

    with tf.variable_scope("output"):
        out_w = tf.get_variable("W", [total, 2], initializer=normal(9))
        out_b = tf.get_variable("b", [2], initializer=tf.constant_initializer(0.1))
        logits = tf.matmul(net, out_w) + out_b
    predictions = {"scores": tf.nn.softmax(logits)}
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions=predictions)
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    )
    loss += 0.05 * (tf.nn.l2_loss(out_w) + tf.nn.l2_loss(out_b))
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss)
    optimizer = tf.train.AdagradOptimizer(0.1)
    grads = optimizer.compute_gradients(loss)
    train_op = optimizer.apply_gradients(grads, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn(seed, epochs):
    rng = np.random.RandomState(seed)
    words = rng.randint(WORDS, size=[48, LENGTH])
    label = (words.sum(1) % 2).astype(np.int32)
    data = tf.data.Dataset.from_tensor_slices(({"words": words}, label))
    return data.repeat(epochs).batch(12)


def run(directory):
    params = {"dim": 5, "num_filters": 3, "filter_sizes": [3, 4, 5]}
    estimator = tf.estimator.Estimator(model_fn, directory, params=params)
    estimator.train(lambda: input_fn(1, 5), steps=18)
    results = dict(estimator.evaluate(lambda: input_fn(2, 1)))
    results["scores"] = [p["scores"] for p in estimator.predict(lambda: input_fn(2, 1))]
    for name in estimator.get_variable_names():
        results["variable/" + name] = estimator.get_variable_value(name)
    return results
