"""TF1's streaming metrics: functions of tf.metrics, their parameters by position.

TF 1.15.5 and tf.compat.v1 of TF 2.21 have the same signatures (inspected). What is not
among `TENSORS` decides how many totals there are, and is known when they are made.
"""

from __future__ import annotations

MODULE = "streaming_metrics"
# What the functions of the emitted module are called in a program.
METRIC = f"{MODULE}.Metric"
VARIABLES = f"{MODULE}.variables"
INITIALIZE = f"{MODULE}.initialize"

# Parameters that each batch has anew.
TENSORS = frozenset(
    {"labels", "predictions", "predictions_idx", "values", "weights", "normalizer"}
)
# Parameters that put tensors into a graph's collections.
COLLECTIONS = frozenset({"metrics_collections", "updates_collections"})
_REST = ("metrics_collections", "updates_collections", "name")
_PAIR = ("labels", "predictions")
_PLAIN = (*_PAIR, "weights", *_REST)
_AT_K = (*_PAIR, "k", "class_id", "weights", *_REST)
_AT_TOP_K = ("labels", "predictions_idx", *_AT_K[2:])
_AT_THRESHOLDS = (*_PAIR, "thresholds", "weights", *_REST)
_CLASSES = (*_PAIR, "num_classes", "weights", *_REST)
_CONFUSIONS = tuple(
    f"{right}_{what}"
    for right in ("true", "false")
    for what in ("positives", "negatives")
)
_CURVE = ("num_thresholds", *_REST)

# `mean_tensor` is not here: its totals have the shape of what it is given.
PARAMETERS: dict[str, tuple[str, ...]] = {
    f"tf.metrics.{name}": parameters
    for name, parameters in {
        **dict.fromkeys(
            ("accuracy", "precision", "recall", "mean_absolute_error")
            + ("mean_squared_error", "root_mean_squared_error", *_CONFUSIONS),
            _PLAIN,
        ),
        **{f"{name}_at_thresholds": _AT_THRESHOLDS for name in _CONFUSIONS},
        **dict.fromkeys(
            ("precision_at_thresholds", "recall_at_thresholds"), _AT_THRESHOLDS
        ),
        **dict.fromkeys(
            ("precision_at_k", "recall_at_k", "sparse_precision_at_k"), _AT_K
        ),
        **dict.fromkeys(("precision_at_top_k", "recall_at_top_k"), _AT_TOP_K),
        **dict.fromkeys(
            ("average_precision_at_k", "sparse_average_precision_at_k"),
            (*_PAIR, "k", "weights", *_REST),
        ),
        **dict.fromkeys(("mean_iou", "mean_per_class_accuracy"), _CLASSES),
        "auc": (
            *(*_PAIR, "weights", "num_thresholds", *_REST[:2], "curve", "name"),
            *("summation_method", "thresholds"),
        ),
        "mean": ("values", "weights", *_REST),
        "mean_cosine_distance": (*_PAIR, "dim", "weights", *_REST),
        "mean_relative_error": (*_PAIR, "normalizer", "weights", *_REST),
        "percentage_below": ("values", "threshold", "weights", *_REST),
        "sensitivity_at_specificity": (*_PAIR, "specificity", "weights", *_CURVE),
        "specificity_at_sensitivity": (*_PAIR, "sensitivity", "weights", *_CURVE),
    }.items()
}
