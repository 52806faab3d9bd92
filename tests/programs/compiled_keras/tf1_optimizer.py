"""A model that an optimizer of tf.train trains, and one whose optimizer is a name."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(7)
rows = rng.rand(40, 4).astype("float32")
targets = np.sin(rows.sum(1, keepdims=True)).astype("float32")


def build_model(optimizer):
    model = tf.keras.Sequential([
        tf.keras.layers.Dense(5, activation="relu", input_shape=(4,), name="first"),
        tf.keras.layers.Dropout(0.0),
        tf.keras.layers.Dense(1, name="last")])
    model.compile(loss="mean_squared_error", optimizer=optimizer, metrics=["mse"])
    weights = np.random.RandomState(8)
    model.set_weights([weights.rand(*w.shape) - 0.3 for w in model.get_weights()])
    return model


def input_fn():
    return tf.data.Dataset.from_tensor_slices((rows, targets)).repeat(2).batch(16)


def run(directory):
    results = {}
    for name, optimizer in (("tf1", tf.train.GradientDescentOptimizer(0.2)),
                            ("named", "rmsprop"), ("adagrad", "adagrad")):
        estimator = tf.keras.estimator.model_to_estimator(
            keras_model=build_model(optimizer), model_dir="%s/%s" % (directory, name))
        estimator.train(input_fn, max_steps=4)
        estimator.train(input_fn, max_steps=8)
        for key, value in estimator.evaluate(input_fn, steps=2).items():
            results["%s/%s" % (name, key)] = value
        results[name + "/predictions"] = [
            p["last"] for p in estimator.predict(input_fn)]
        for variable in estimator.get_variable_names():
            results["%s/variable/%s" % (name, variable)] = estimator.get_variable_value(
                variable)
    return results
