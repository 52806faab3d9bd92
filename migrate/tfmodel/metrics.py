"""`tf.metrics`: streaming metrics, with local variables of their own."""

from __future__ import annotations

from migrate.graph.record import Initial
from migrate.graph.values import Tuple, Unknown, Value
from migrate.tfmodel import graphs, tensors, variables
from migrate.tfmodel.registry import FUNCTIONS, Call, label_of

# Function -> (its scope, its variables, the operation that is the value).
_METRICS: dict[str, tuple[str, tuple[str, ...]]] = {
    "tf.metrics.accuracy": ("accuracy", ("total", "count")),
    "tf.metrics.mean": ("mean", ("total", "count")),
    "tf.metrics.mean_absolute_error": ("mean_absolute_error", ("total", "count")),
    "tf.metrics.mean_squared_error": ("mean_squared_error", ("total", "count")),
    "tf.metrics.root_mean_squared_error": (
        "root_mean_squared_error",
        ("total", "count"),
    ),
    "tf.metrics.mean_relative_error": ("mean_relative_error", ("total", "count")),
    "tf.metrics.percentage_below": ("percentage_below_threshold", ("total", "count")),
    "tf.metrics.precision": (
        "precision",
        ("true_positives/count", "false_positives/count"),
    ),
    "tf.metrics.recall": ("recall", ("true_positives/count", "false_negatives/count")),
    "tf.metrics.true_positives": ("true_positives", ("count",)),
    "tf.metrics.false_positives": ("false_positives", ("count",)),
    "tf.metrics.false_negatives": ("false_negatives", ("count",)),
    "tf.metrics.true_negatives": ("true_negatives", ("count",)),
    "tf.metrics.auc": (
        "auc",
        ("true_positives", "false_negatives", "true_negatives", "false_positives"),
    ),
    "tf.metrics.mean_iou": ("mean_iou", ("total_confusion_matrix",)),
    "tf.metrics.mean_per_class_accuracy": ("mean_accuracy", ("total", "count")),
}


def _register(symbol: str, scope: str, names: tuple[str, ...]) -> None:
    def handler(call: Call) -> Value:
        from migrate.tfmodel import scopes

        m = call.m
        for value in call.given.values():
            if isinstance(value, Unknown):
                return value
        opened, inside = scopes.enter(m, call.text("name"), scope)
        node = call.node()
        shape: tuple[int | None, ...] = (200,) if scope == "auc" else ()
        if scope == "auc":
            count = call.number("num_thresholds")
            shape = (count,)
        if scope in ("mean_iou", "mean_accuracy"):
            classes = tensors.dimension_argument(m, call.get("num_classes"))
            size = classes if isinstance(classes, int) else None
            shape = (size, size) if scope == "mean_iou" else (size,)
        for name in names:
            prefix = graphs.scope(m)
            whole = graphs.unique(m, name)
            variables.make(
                m,
                whole,
                shape,
                "float64" if scope == "mean_iou" else "float32",
                Initial(constant=0.0),
                trainable=False,
                collections=("local_variables", "metric_variables"),
                node=node,
                slot=True,
            )
            del prefix
        scopes.leave(m, opened)
        del inside
        value = call.tensor(node, "float32", (), None, "0")
        update = call.tensor(node, "float32", (), None, "1")
        return Tuple((value, update))

    FUNCTIONS[label_of(symbol)] = handler


for _name in ("accuracy", "mean", "precision", "recall", "auc", "mean_iou"):
    _METRICS[f"tf.contrib.metrics.streaming_{_name}"] = _METRICS[f"tf.metrics.{_name}"]
for _symbol, (_scope, _names) in _METRICS.items():
    _register(_symbol, _scope, _names)
