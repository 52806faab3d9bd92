"""Run by test_keras_models.py in a directory of a migrated program: keras_cases.py DIRECTORY."""

import itertools
import json
import pathlib
import sys

import numpy as np
import tensorflow as tf

work = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(work))

import keras_estimator  # noqa: E402
import plain_values  # noqa: E402
import tf_keras  # noqa: E402

v1 = tf.compat.v1

# How each function of a network is called, where it is not f(x).
CALLS = {
    "tf.add": lambda f, x: f(x, x),
    "tf.cast": lambda f, x: f(x, tf.int32),
    "tf.clip_by_value": lambda f, x: f(x, 0.0, 0.5),
    "tf.concat": lambda f, x: f([x, x], 1),
    "tf.divide": lambda f, x: f(x, x + 1.0),
    "tf.expand_dims": lambda f, x: f(x, 1),
    "tf.matmul": lambda f, x: f(x, x),
    "tf.maximum": lambda f, x: f(x, 0.5),
    "tf.minimum": lambda f, x: f(x, 0.5),
    "tf.multiply": lambda f, x: f(x, x),
    "tf.nn.avg_pool": lambda f, x: f(x, [1, 2, 2, 1], [1, 1, 1, 1], "SAME"),
    "tf.nn.max_pool": lambda f, x: f(x, [1, 2, 2, 1], [1, 1, 1, 1], "SAME"),
    "tf.nn.l2_normalize": lambda f, x: f(x, 1),
    "tf.pad": lambda f, x: f(x, [[0, 0], [1, 1], [0, 0], [0, 0]]),
    "tf.reshape": lambda f, x: f(x, [-1, 3 * 3 * 3]),
    "tf.stack": lambda f, x: f([x, x], 1),
    "tf.subtract": lambda f, x: f(x, 0.25),
    "tf.tile": lambda f, x: f(x, [1, 2, 1, 1]),
    "tf.transpose": lambda f, x: f(x, [0, 2, 1, 3]),
}


def resolved(target):
    value = tf
    for part in target.split(".")[1:]:
        value = getattr(value, part)
    return value


def recorded(function, call):
    """Explains how a functional model differs from the function; "" if it does not."""
    array = np.random.RandomState(0).rand(2, 3, 3, 3).astype(np.float32)
    try:
        inputs = tf_keras.Input([3, 3, 3])
        model = tf_keras.Model(inputs, call(function, inputs))
        same = np.array_equal(model(array), call(function, tf.constant(array)))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "" if same else "another result"


# Those whose two arguments are cast to bool first.
BOOLS = (
    tf_keras.metrics.FalseNegatives,
    tf_keras.metrics.FalsePositives,
    tf_keras.metrics.Precision,
    tf_keras.metrics.Recall,
    tf_keras.metrics.TrueNegatives,
    tf_keras.metrics.TruePositives,
)
# Metric, what is compared (0 numbers, else classes), whether predictions are scores.
METRICS = (
    ("accuracy", tf_keras.metrics.Accuracy, 3, False),
    ("auc", keras_estimator.AUC, 2, True),
    ("false_negatives", tf_keras.metrics.FalseNegatives, 2, False),
    ("false_positives", tf_keras.metrics.FalsePositives, 2, False),
    ("mean", tf_keras.metrics.Mean, 0, True),
    ("mean_absolute_error", keras_estimator.MeanAbsoluteError, 0, True),
    ("mean_iou", tf_keras.metrics.MeanIoU, 3, False),
    ("mean_per_class_accuracy", keras_estimator.MeanPerClassAccuracy, 3, False),
    ("mean_squared_error", keras_estimator.MeanSquaredError, 0, True),
    ("precision", tf_keras.metrics.Precision, 2, False),
    ("recall", tf_keras.metrics.Recall, 2, False),
    ("root_mean_squared_error", tf_keras.metrics.RootMeanSquaredError, 0, True),
    ("true_negatives", tf_keras.metrics.TrueNegatives, 2, False),
    ("true_positives", tf_keras.metrics.TruePositives, 2, False),
)
AUC_CURVES = ("ROC", "PR")
AUC_METHODS = ("trapezoidal", "careful_interpolation", "minoring", "majoring")
CLASSES = {"mean_iou": 4, "mean_per_class_accuracy": 4}


def metrics(shapes, weights=None):
    """Largest difference of each metric from TF1's function, over batches of 7, 5 and 3.

    Args:
      shapes: of a row of labels and of a row of predictions.
      weights: the shape of a row of them; "scalar", or None for none.

    Returns:
      By TF1's name; None where TF1 refuses the shapes.
    """
    rng = np.random.RandomState(1)
    found = {}
    for name, make, number, scores in METRICS:
        given = [CLASSES[name]] if name in CLASSES else []
        keras, batches = make(*given), []
        cast = isinstance(keras, BOOLS)
        for size in (7, 5, 3):
            sizes = [(size, *shape) for shape in shapes]
            labels = (
                rng.randint(number, size=sizes[0]) if number else rng.rand(*sizes[0])
            )
            other = (
                rng.rand(*sizes[1]) if scores else rng.randint(number, size=sizes[1])
            )
            if name == "auc" and not batches:
                labels[...] = 0  # None is positive yet.
            batch = [
                labels.astype(np.int32 if number else np.float32),
                other.astype(np.float32 if scores else np.int32),
            ]
            if name == "mean":
                batch.pop()
            if weights == "scalar":
                batch.append(np.float32(rng.rand()))
            elif weights is not None:
                batch.append(rng.rand(size, *weights).astype(np.float32))
            batches.append(batch)
        try:
            expected = tensorflow_1s(name, batches, given, weights is not None)
        except (ValueError, tf.errors.InvalidArgumentError):
            found[f"tf.metrics.{name}"] = None  # It does not take such shapes.
            continue
        worst = 0.0
        for batch, value in zip(batches, expected):
            kwargs = {} if weights is None else {"sample_weight": batch.pop()}
            if cast:
                batch = [tf.cast(a, tf.bool) for a in batch]
            keras.update_state(*batch, **kwargs)
            worst = max(worst, abs(float(keras.result()) - float(value)))
        found[f"tf.metrics.{name}"] = worst
    return found


def curves():
    """Largest difference of AUC's curves and methods from TF1's function, by both."""
    rng = np.random.RandomState(9)
    batches = [
        [np.zeros(9, np.int32), rng.rand(9).astype(np.float32)],
        [
            rng.randint(2, size=30),
            np.float32(0.1) + rng.rand(30).astype(np.float32) / 2,
        ],
        [rng.randint(2, size=30), rng.randint(4, size=30).astype(np.float32) / 3],
    ]
    found = {}
    for curve, method in itertools.product(AUC_CURVES, AUC_METHODS):
        for count in (20, 200):
            options = {
                "curve": curve,
                "summation_method": method,
                "num_thresholds": count,
            }
            expected = tensorflow_1s("auc", batches, [], False, **options)
            keras, worst = keras_estimator.AUC(**options), 0.0
            for batch, value in zip(batches, expected):
                keras.update_state(*batch)
                worst = max(worst, abs(float(keras.result()) - float(value)))
            found[f"{curve} {method} {count}"] = worst
    return found


def tensorflow_1s(name, batches, given, weighted, **options):
    """The value of one of TF1's functions after each batch."""
    expected = []
    with tf.Graph().as_default(), v1.Session() as session:
        fed = [
            v1.placeholder(a.dtype, [None, *a.shape[1:]][: a.ndim]) for a in batches[0]
        ]
        kwargs = {"weights": fed[-1], **options} if weighted else options
        compared = fed[:-1] if weighted else fed
        value, update = getattr(v1.metrics, name)(*compared, *given, **kwargs)
        session.run(v1.local_variables_initializer())
        for batch in batches:
            session.run(update, dict(zip(fed, batch)))
            expected.append(session.run(value))
    return expected


def same_masks(layer):
    """Whether two functions that call a layer drop the same units at first."""
    x = tf.ones([50])
    masks = [tf.function(lambda: layer(x, training=True))().numpy() for _ in range(2)]
    return bool(np.array_equal(*masks))


def trained():
    """A model without an Estimator."""
    rng = np.random.RandomState(6)
    label = rng.randint(3, size=72).astype(np.int32)
    signal = (rng.randn(72, 11, 2) + label[:, None, None]).astype(np.float32)
    features = {"signal": tf_keras.Input([11, 2])}
    model = plain_values.ClassifierModel(features, {"classes": 3, "rate": 0.02})
    dataset = tf.data.Dataset.from_tensor_slices(({"signal": signal}, label)).batch(18)
    history = model.fit(dataset, epochs=3, verbose=0).history["loss"]
    evaluated = model.evaluate(dataset, verbose=0, return_dict=True)
    predicted = model.predict({"signal": signal}, verbose=0)
    return {
        "fit steps": int(v1.train.get_global_step().numpy()),
        "fit losses": [history[0], history[-1]],
        "evaluate": sorted(evaluated),
        "predict": {name: list(np.shape(value)) for name, value in predicted.items()},
        "layers": [w.name[:-2] for layer in model.layers for w in layer.weights],
    }


def begun_anew():
    """Returns metrics of a batch, of it again after a reset, and of one more batch."""
    labels, classes = np.array([0, 1, 1, 0]), np.array([0, 1, 0, 1])
    other = np.array([1, 1, 1, 0])
    said = {}
    for metric in (keras_estimator.AUC(), keras_estimator.MeanPerClassAccuracy(2)):
        values = [metric(labels, classes)]
        metric.reset_state()
        values.append(metric(labels, classes))
        values.append(metric(labels, other))
        said[type(metric).__name__] = [float(value) for value in values]
    return said


def main():
    targets = json.loads((work / "targets.json").read_text())
    found = trained()
    found["recorded"] = {
        name: recorded(resolved(target), CALLS.get(name, lambda f, x: f(x)))
        for name, target in targets.items()
    }
    found["not recorded"] = recorded(
        lambda x: tf.constant(np.asarray(x)), lambda f, x: f(x)
    )
    row, one, two = (), (1,), (2,)
    found["metrics"] = {
        str(case): metrics(*case)
        for case in (
            ((row, row),),
            ((one, one),),
            ((row, one),),
            ((two, two),),
            ((row, row), row),
            ((row, row), "scalar"),
            ((one, one), one),
            ((two, two), two),
            ((two, two), one),
        )
    }
    found["curves"] = curves()
    found["begun anew"] = begun_anew()
    found["same masks"] = same_masks(keras_estimator.Dropout(0.5, seed=3))
    found["same masks of Keras's own layer"] = same_masks(
        tf_keras.layers.Dropout(0.5, seed=3)
    )
    (work / "found.json").write_text(json.dumps(found))


main()
