"""Networks of tf.keras in a model_fn whose updates and losses are asked for by hand."""

import tensorflow as tf

layers = tf.keras.layers


class Tracker(layers.Layer):
    """Keeps an average of what it sees."""

    def build(self, shape):
        self.mean = self.add_weight(
            "mean", [int(shape[-1])], initializer="zeros", trainable=False
        )
        super().build(shape)

    def call(self, x):
        new = 0.5 * self.mean + 0.5 * tf.reduce_mean(x, 0)
        self.add_update(lambda: tf.assign(self.mean, new), inputs=True)
        return x - self.mean


def network():
    return tf.keras.Sequential(
        [
            layers.Dense(
                2,
                kernel_initializer=tf.keras.initializers.Constant(0.3),
                activity_regularizer=tf.keras.regularizers.l1(0.01),
                kernel_regularizer=tf.keras.regularizers.l2(0.1),
            ),
            layers.BatchNormalization(momentum=0.5),
            layers.Dense(1, kernel_initializer="ones"),
        ]
    )


def image_network():
    return tf.keras.Sequential(
        [
            layers.Reshape((3, 1, 1)),
            layers.BatchNormalization(momentum=0.5),
            layers.Flatten(),
            layers.Dense(1, kernel_initializer="ones"),
        ]
    )


def model_fn(features, labels, mode, params):
    case = params["case"]
    training = mode == tf.estimator.ModeKeys.TRAIN
    x = features["x"]
    other = layers.BatchNormalization(momentum=0.25, name="other")
    net = image_network() if case == "images" else network()
    out = net(other(x, training=training), training=training)
    out += net(x * 0.5 + 1.0, training=training)
    tracker = Tracker(name="tracker")
    out += tf.reduce_sum(tracker(x), 1, keepdims=True)
    loss = tf.reduce_mean(tf.square(out - labels))
    updates = net.updates
    if case == "first":
        updates = net.get_updates_for(x)
    elif case == "every":
        updates += other.updates
        updates.extend(tracker.updates)
    elif case == "losses":
        loss += tf.add_n(net.losses)
    elif case == "losses_of_calls":
        loss += tf.add_n(net.get_losses_for(None)) * 3.0
        loss += tf.add_n(net.get_losses_for(x)) * 5.0
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss)
    tf.logging.info("updates: %s", updates)
    run = updates if case != "none" else []
    step = tf.train.get_global_step()
    with tf.control_dependencies(run):
        train_op = tf.train.GradientDescentOptimizer(0.01).minimize(loss, step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    rows = [[1.0, 2.0, 3.0], [2.0, 0.0, 1.0], [4.0, 1.0, -1.0], [0.0, 3.0, 2.0]]
    data = ({"x": rows}, [[1.0], [2.0], [0.0], [3.0]])
    return tf.data.Dataset.from_tensor_slices(data).batch(4).repeat(3)


def run(case, directory):
    estimator = tf.estimator.Estimator(model_fn, directory, params={"case": case})
    estimator.train(input_fn)
    results = {"loss": estimator.evaluate(input_fn, steps=1)["loss"]}
    for name in estimator.get_variable_names():
        results[name] = estimator.get_variable_value(name)
    return results


CASES = ("first", "every", "losses", "losses_of_calls", "images", "none")
