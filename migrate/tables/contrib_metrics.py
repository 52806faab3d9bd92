"""tf.contrib.metrics' streaming metrics that are functions of tf.metrics.

Each is `return metrics.<name>(...)` with all of its arguments by name (TF 1.15.5, read in its
source); contrib's have the predictions first. The others - covariances, rates, recall_at_k,
curves, concat - have totals of their own.
"""

from __future__ import annotations

_REST = ("metrics_collections", "updates_collections", "name")
_PAIR = ("predictions", "labels")
_CURVE = ("weights", "num_thresholds", *_REST)
_OF_PAIR = (
    *("accuracy", "precision", "recall", "mean_absolute_error", "mean_squared_error"),
    *("root_mean_squared_error", "true_positives", "true_negatives"),
    *("false_positives", "false_negatives"),
)

# contrib's name, without `streaming_` -> tf.metrics' name, and contrib's parameters in order.
CORE: dict[str, tuple[str, tuple[str, ...]]] = {
    **{name: (name, (*_PAIR, "weights", *_REST)) for name in _OF_PAIR},
    "mean": ("mean", ("values", "weights", *_REST)),
    "mean_tensor": ("mean_tensor", ("values", "weights", *_REST)),
    "percentage_less": ("percentage_below", ("values", "threshold", "weights", *_REST)),
    "mean_iou": ("mean_iou", (*_PAIR, "num_classes", "weights", *_REST)),
    "mean_relative_error": (
        "mean_relative_error",
        (*_PAIR, "normalizer", "weights", *_REST),
    ),
    **{
        name: (name, (*_PAIR, "thresholds", "weights", *_REST))
        for name in ("precision_at_thresholds", "recall_at_thresholds")
    },
    **{
        f"sparse_{name}": (name, (*_PAIR, "k", "class_id", "weights", *_REST))
        for name in ("precision_at_k", "recall_at_k")
    },
    "sparse_average_precision_at_k": (
        "average_precision_at_k",
        (*_PAIR, "k", "weights", *_REST),
    ),
    "auc": (
        "auc",
        (*_PAIR, "weights", "num_thresholds", *_REST[:2], "curve", "name"),
    ),
    "sensitivity_at_specificity": (
        "sensitivity_at_specificity",
        (*_PAIR, "specificity", *_CURVE),
    ),
    "specificity_at_sensitivity": (
        "specificity_at_sensitivity",
        (*_PAIR, "sensitivity", *_CURVE),
    ),
}
PREFIXES = ("tf.contrib.metrics.streaming_", "tf.contrib.slim.metrics.streaming_")


def find_core(symbol: str) -> tuple[str, tuple[str, ...]] | None:
    """The function of tf.metrics that a symbol is, and contrib's parameters."""
    for prefix in PREFIXES:
        if symbol.startswith(prefix):
            return CORE.get(symbol.removeprefix(prefix))
    return None
