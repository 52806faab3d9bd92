"""Two towers of layers without names, each in its scope; goes on from a checkpoint."""

import numpy as np
import tensorflow as tf


def uniform(seed):
    return tf.random_uniform_initializer(-0.4, 0.4, seed=seed)


def model_fn(features, labels, mode, params):
    is_training = mode == tf.estimator.ModeKeys.TRAIN
    user = tf.one_hot(features["user"], 12)
    with tf.variable_scope("user"):
        for number, units in enumerate(params["hidden_units"]):
            user = tf.layers.dense(
                user, units, activation=tf.nn.relu, kernel_initializer=uniform(number)
            )
            user = tf.layers.batch_normalization(
                user, training=is_training, momentum=0.9
            )
        if params["top"]:
            user = tf.layers.dense(user, 6, kernel_initializer=uniform(20))
        user = tf.layers.dense(user, params["size"], kernel_initializer=uniform(21))

    item = tf.one_hot(features["item"], 9)
    with tf.variable_scope("item"):
        with tf.variable_scope("first"):
            item = tf.layers.dense(item, 8, tf.nn.tanh, kernel_initializer=uniform(30))
        for number, units in enumerate(params["hidden_units"]):
            item = tf.contrib.layers.fully_connected(
                item, units, weights_initializer=uniform(31 + number)
            )
        item = tf.layers.dense(item, params["size"], kernel_initializer=uniform(40))

    score = tf.reduce_sum(user * item, axis=1)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"score": score})
    loss = tf.losses.sigmoid_cross_entropy(labels, score)
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train_op = tf.train.AdamOptimizer(0.01).minimize(
            loss, tf.train.get_global_step()
        )
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    rng = np.random.RandomState(4)
    user, item = rng.randint(12, size=48), rng.randint(9, size=48)
    label = ((user + item) % 2).astype(np.float32)
    data = tf.data.Dataset.from_tensor_slices(({"user": user, "item": item}, label))
    return data.repeat().batch(8)


def variables(estimator):
    return {
        name: estimator.get_variable_value(name)
        for name in estimator.get_variable_names()
    }


def run(directory):
    results = {}
    params = {"hidden_units": [10, 8], "size": 4, "top": True}
    estimator = tf.estimator.Estimator(model_fn, directory, params=params)
    if tf.train.latest_checkpoint(directory) is None:
        estimator.train(input_fn, steps=15)
        for name, value in variables(estimator).items():
            results["before/" + name] = value
    estimator.train(input_fn, max_steps=40)
    results.update(estimator.evaluate(input_fn, steps=6))
    results["score"] = [
        p["score"] for p, _ in zip(estimator.predict(input_fn), range(16))
    ]
    for name, value in variables(estimator).items():
        results["after/" + name] = value
    return results
