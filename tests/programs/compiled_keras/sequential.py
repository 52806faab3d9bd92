"""A compiled Sequential model as an Estimator: trained on, evaluated, served."""

import glob
import os

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(3)
images = rng.rand(60, 6).astype("float32")
labels = (images[:, 0] * 3).astype("int64")


def build_model():
    model = tf.keras.models.Sequential()
    # Batches are centred behind it: a bias would have no gradient but rounding errors.
    model.add(tf.keras.layers.Dense(16, activation="relu", input_shape=(6,), use_bias=False,
                                    kernel_regularizer=tf.keras.regularizers.l2(0.01)))
    model.add(tf.keras.layers.BatchNormalization())
    model.add(tf.keras.layers.Dense(3, activation="softmax", name="probabilities"))
    model.compile(optimizer=tf.keras.optimizers.Adam(lr=0.02),
                  loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    # As a training of its own would have left them.
    weights = np.random.RandomState(5)
    model.set_weights([weights.rand(*w.shape) - 0.2 for w in model.get_weights()])
    return model


def train_input_fn():
    dataset = tf.data.Dataset.from_tensor_slices(({"dense_input": images}, labels))
    return dataset.repeat().batch(16)


def eval_input_fn():
    return tf.data.Dataset.from_tensor_slices(({"dense_input": images}, labels)).batch(25)


def serving_input_fn():
    inputs = {"dense_input": tf.placeholder(tf.float32, [None, 6], name="images")}
    return tf.estimator.export.ServingInputReceiver(inputs, inputs)


def run(directory):
    config = tf.estimator.RunConfig(save_checkpoints_steps=10)
    estimator = tf.keras.estimator.model_to_estimator(
        keras_model=build_model(), model_dir=directory, config=config)
    results = {}
    for turn in range(4):
        estimator.train(train_input_fn, steps=3)
        for name, value in estimator.evaluate(eval_input_fn).items():
            results["turn_%d/%s" % (turn, name)] = value
    exporter = tf.estimator.FinalExporter("served", serving_input_fn)
    tf.estimator.train_and_evaluate(
        estimator,
        tf.estimator.TrainSpec(train_input_fn, max_steps=25),
        tf.estimator.EvalSpec(eval_input_fn, exporters=exporter, start_delay_secs=0,
                              throttle_secs=0))
    results.update(estimator.evaluate(eval_input_fn))
    results["predictions"] = [p["probabilities"] for p in estimator.predict(eval_input_fn)]
    for name in estimator.get_variable_names():
        results["variable/" + name] = estimator.get_variable_value(name)
    exported, = glob.glob(os.path.join(directory, "export", "served", "*"))
    results.update(served(exported))
    results["checkpoints"] = sorted(
        int(path.split("-")[-1][:-len(".index")])
        for path in glob.glob(os.path.join(directory, "model.ckpt-*.index")))
    return results


def served(directory):
    predictor = tf.contrib.predictor.from_saved_model(directory)
    found = predictor({"dense_input": images[:5]})
    return {"served/" + name: value for name, value in found.items()}
