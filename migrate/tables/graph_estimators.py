"""Lists the Estimators of TensorFlow 1 that tensorflow-estimator has for graph mode.

Its release 2.15.0 runs on TensorFlow 2.16 and later, too, through the module that is
written beside a program (`migrate/support/graph_estimators.py`). `tests/fallback` looks
each name up in the package.
"""

from __future__ import annotations

MODULE = "graph_estimators"
PACKAGE = "tensorflow-estimator==2.15.0"

# Names of tf.estimator that are in the package.
_NAMES = (
    *("BaselineClassifier", "BaselineEstimator", "BaselineRegressor", "BestExporter"),
    *(
        "BinaryClassHead",
        "DNNClassifier",
        "DNNEstimator",
        "DNNLinearCombinedClassifier",
    ),
    *("DNNLinearCombinedEstimator", "DNNLinearCombinedRegressor", "DNNRegressor"),
    *("Estimator", "EstimatorSpec", "EvalSpec", "Exporter", "FinalExporter", "Head"),
    *("LatestExporter", "LinearClassifier", "LinearEstimator", "LinearRegressor"),
    *("LogisticRegressionHead", "MultiClassHead", "MultiHead"),
    *("MultiLabelHead", "PoissonRegressionHead", "RegressionHead", "RunConfig"),
    *("TrainSpec", "WarmStartSettings", "add_metrics", "classifier_parse_example_spec"),
    *("regressor_parse_example_spec", "train_and_evaluate"),
    *(
        f"experimental.{name}"
        for name in (
            *("InMemoryEvaluatorHook", "KMeans", "LinearSDCA"),
            *("build_raw_supervised_input_receiver_fn", "call_logit_fn"),
            *("dnn_logit_fn_builder", "linear_logit_fn_builder"),
            *("make_early_stopping_hook", "make_stop_at_checkpoint_step_hook"),
            *("stop_if_higher_hook", "stop_if_lower_hook", "stop_if_no_decrease_hook"),
            "stop_if_no_increase_hook",
        )
    ),
    *(
        f"export.{name}"
        for name in (
            *("ClassificationOutput", "ExportOutput", "PredictOutput"),
            *("RegressionOutput", "ServingInputReceiver", "TensorServingInputReceiver"),
            "build_parsing_serving_input_receiver_fn",
            "build_raw_serving_input_receiver_fn",
        )
    ),
    "inputs.numpy_input_fn",
)
_OF_TPUS = (
    *("InputPipelineConfig", "RunConfig", "TPUConfig", "TPUEstimator"),
    "TPUEstimatorSpec",
)

# Symbol -> its home. The rest of a name (`InputPipelineConfig.PER_HOST_V2`) is kept.
HOMES: dict[str, str] = {
    **{f"tf.estimator.{name}": f"{MODULE}.{name}" for name in _NAMES},
    **{
        f"{module}.{name}": f"{MODULE}.tpu.{name}"
        for module in ("tf.estimator.tpu", "tf.contrib.tpu")
        for name in _OF_TPUS
    },
    "tf.contrib.estimator.add_metrics": f"{MODULE}.add_metrics",
    "tf.contrib.estimator.call_logit_fn": f"{MODULE}.experimental.call_logit_fn",
    **{
        f"tf.contrib.estimator.{name}_head": f"graph_heads.{name}_head"
        for name in (
            *("binary_classification", "logistic_regression", "multi_class"),
            *("poisson_regression", "regression"),
        )
    },
    "tf.estimator.inputs.pandas_input_fn": f"{MODULE}.pandas_input_fn",
}
# Modules -> their homes. The package has all that is left of these modules.
MODULES: dict[str, str] = {
    "tf.estimator": MODULE,
    **{
        f"tf.estimator.{name}": f"{MODULE}.{name}"
        for name in ("experimental", "export", "inputs", "tpu")
    },
}

_WITHOUT = (
    "tensorflow-estimator, which has TensorFlow's Estimators for graph mode, does not have "
    "this"
)
_MODEL_FN = "Write its model_fn for tf.estimator.Estimator."
# Symbol or module -> (why it cannot work even if its name exists, what to do).
LOST: dict[str, tuple[str, str]] = {
    "tf.estimator": (_WITHOUT, _MODEL_FN),
    **{
        f"tf.estimator.BoostedTrees{name}": (
            f"{_WITHOUT}: boosted trees left it before release 2.15",
            "Train the trees with TensorFlow Decision Forests.",
        )
        for name in ("Classifier", "Estimator", "Regressor")
    },
    "tf.contrib.estimator": (f"{_WITHOUT} part of contrib", _MODEL_FN),
    "tf.contrib.learn": (
        "contrib's own Estimators were never in tensorflow-estimator, which has "
        "tf.estimator's",
        "Use tf.estimator's Estimator of the same name, and train_and_evaluate for an "
        "Experiment.",
    ),
    "tf.keras.estimator": (
        "optimizers by name have other defaults in its Keras (Adagrad's accumulators "
        "start at 0.1, not at 0)",
        "Write a model_fn that calls the model, for tf.estimator.Estimator.",
    ),
}
OF_TENSORFLOW_2 = (
    "in TensorFlow 2 this name is another class than in TensorFlow 1",
    "Name TensorFlow 1's by tf.compat.v1.estimator.",
)
