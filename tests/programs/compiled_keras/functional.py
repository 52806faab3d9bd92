"""A functional model of two inputs and two outputs; rates that decay; metrics by their names."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(4)
examples = {"left": rng.rand(48, 3).astype("float32"), "right": rng.rand(48, 2).astype("float32")}
total = examples["left"].sum(1, keepdims=True) - examples["right"].sum(1, keepdims=True)
labels = {"size": total.astype("float32"), "sign": (total > 0.5).astype("float32")}


def build_model():
    left = tf.keras.Input(shape=(3,), name="left")
    right = tf.keras.Input(shape=(2,), name="right")
    hidden = tf.keras.layers.concatenate([left, right])
    hidden = tf.keras.layers.Dense(8, activation="tanh", name="hidden")(hidden)
    size = tf.keras.layers.Dense(1, name="size")(hidden)
    sign = tf.keras.layers.Dense(1, activation="sigmoid", name="sign")(hidden)
    model = tf.keras.Model(inputs=[left, right], outputs=[size, sign])
    model.compile(optimizer=tf.keras.optimizers.SGD(lr=0.2, momentum=0.9, decay=0.01,
                                                    nesterov=True),
                  loss={"size": "mse", "sign": "binary_crossentropy"},
                  loss_weights={"size": 0.7, "sign": 0.3},
                  metrics={"size": ["mae"], "sign": ["accuracy"]})
    weights = np.random.RandomState(6)
    model.set_weights([weights.rand(*w.shape) - 0.5 for w in model.get_weights()])
    return model


def input_fn(repeated):
    dataset = tf.data.Dataset.from_tensor_slices((examples, labels))
    return dataset.repeat(5 if repeated else 1).batch(12)


def run(directory):
    tf.logging.set_verbosity(tf.logging.WARN)
    estimator = tf.keras.estimator.model_to_estimator(build_model(), model_dir=directory)
    results = {}
    for turn in range(3):
        estimator.train(lambda: input_fn(True))
        for name, value in estimator.evaluate(lambda: input_fn(False)).items():
            results["turn_%d/%s" % (turn, name)] = value
    found = list(estimator.predict(lambda: input_fn(False)))
    for name in ("size", "sign"):
        results[name] = [p[name] for p in found]
    for name in estimator.get_variable_names():
        results["variable/" + name] = estimator.get_variable_value(name)
    results["step"] = tf.train.load_variable(directory, "global_step")
    return results
