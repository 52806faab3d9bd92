"""Two tasks on one click: the same function builds each tower, in the tower's scope."""

import numpy as np
import tensorflow as tf


def uniform(seed):
    return tf.random_uniform_initializer(-0.4, 0.4, seed=seed)


def block(net, units):
    return tf.layers.dense(
        net, units, activation=tf.nn.relu, kernel_initializer=uniform(units)
    )


def tower(net, mode, params):
    # The hidden layers, then one number.
    for units in params["hidden_units"]:
        net = tf.layers.dense(
            net, units, activation=tf.nn.tanh, kernel_initializer=uniform(units)
        )
        if "dropout_rate" in params and params["dropout_rate"] > 0.0:
            net = tf.layers.dropout(
                net,
                params["dropout_rate"],
                seed=2,
                training=(mode == tf.estimator.ModeKeys.TRAIN),
            )
    return tf.layers.dense(net, 1, kernel_initializer=uniform(1))


def model_fn(features, labels, mode, params):
    net = tf.one_hot(features["item"], 11)
    with tf.variable_scope("shared"):
        for i in range(params["depth"]):
            net = block(net, 9 - i)
        net = tf.layers.dense(net, 6, kernel_initializer=uniform(8))

    with tf.variable_scope("ctr_model"):
        ctr_logits = tower(net, mode, params)
    with tf.variable_scope("cvr_model"):
        cvr_logits = tower(net, mode, params)
    ctr, cvr = tf.sigmoid(ctr_logits), tf.sigmoid(cvr_logits)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(
            mode, predictions={"ctr": ctr, "ctcvr": tf.multiply(ctr, cvr)}
        )

    ctr_loss = tf.losses.sigmoid_cross_entropy(labels["click"], ctr_logits)
    cvr_loss = tf.losses.log_loss(labels["buy"], tf.multiply(ctr, cvr))
    loss = tf.add(ctr_loss, cvr_loss, name="loss")
    if mode == tf.estimator.ModeKeys.EVAL:
        metrics = {"cvr_auc": tf.metrics.auc(labels["buy"], tf.multiply(ctr, cvr))}
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)
    train_op = tf.train.AdagradOptimizer(0.1).minimize(
        loss, tf.train.get_global_step()
    )
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn(seed, epochs):
    rng = np.random.RandomState(seed)
    item = rng.randint(11, size=60)
    click = (item % 3 == 0).astype(np.float32)[:, np.newaxis]
    buy = (item % 6 == 0).astype(np.float32)[:, np.newaxis]
    labels = {"click": click, "buy": buy}
    data = tf.data.Dataset.from_tensor_slices(({"item": item}, labels))
    return data.repeat(epochs).batch(12)


def run(directory):
    params = {"hidden_units": [8, 5], "depth": 2, "dropout_rate": 0.2}
    estimator = tf.estimator.Estimator(model_fn, directory, params=params)
    estimator.train(lambda: input_fn(1, 5), steps=22)
    results = dict(estimator.evaluate(lambda: input_fn(2, 1)))
    for name in ("ctr", "ctcvr"):
        results[name] = [p[name] for p in estimator.predict(lambda: input_fn(2, 1))]
    for name in estimator.get_variable_names():
        results["variable/" + name] = estimator.get_variable_value(name)
    return results
