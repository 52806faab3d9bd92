"""Reads the arguments of each mode's EstimatorSpec."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.frontends.model_fn.hooks import KINDS
from migrate.frontends.model_fn.modes import ModeValues, NotSplit, Straight

SPECS = ("tf.estimator.EstimatorSpec",)
_SPEC = (
    "mode",
    "predictions",
    "loss",
    "train_op",
    "eval_metric_ops",
    "export_outputs",
    "training_chief_hooks",
    "training_hooks",
    "scaffold",
    "evaluation_hooks",
    "prediction_hooks",
)
# What the spec of each mode may give, beside what the mode does not look at.
_GIVEN = {
    "TRAIN": {"mode", "predictions", "loss", "train_op"},
    "EVAL": {"mode", "predictions", "loss", "eval_metric_ops", "train_op"},
    "PREDICT": {"mode", "predictions", "export_outputs", "loss", "train_op"},
}
for _kind, _mode in KINDS.items():
    _GIVEN[_mode].add(_kind)
# A Scaffold is the mode's own.
_SCAFFOLDS = {mode: kind for kind, mode in KINDS.items() if kind.endswith("scaffold")}
_IGNORED = {"export_outputs", "eval_metric_ops", *KINDS}


def read_arguments(
    mode: str, line: Straight, values: ModeValues
) -> dict[str, ast.expr] | None:
    """Arguments by name, without those that the mode does not look at.

    None if the mode cannot be used: TF1's EstimatorSpec fails without a loss, or
    predictions.

    Raises:
      NotSplit: there are others.
    """
    bound = names.bind_arguments(line.spec, _SPEC)
    if bound is None:
        raise NotSplit(line.spec, "an argument of EstimatorSpec is not written out")
    written = {
        name: value
        for name, value in ((n, values.choose_branch(v)) for n, v in bound.items())
        if not (isinstance(value, ast.Constant) and value.value is None)
    }
    if "scaffold" in written:
        written[_SCAFFOLDS[mode]] = written.pop("scaffold")
    needs = {"PREDICT": {"predictions"}, "EVAL": {"loss"}}
    if not needs.get(mode, {"loss", "train_op"}) <= set(written):
        return None
    extra = set(written) - _GIVEN[mode] - _IGNORED
    if extra:
        raise NotSplit(line.spec, f"its EstimatorSpec has {sorted(extra)[0]}")
    return {
        name: value
        for name, value in written.items()
        if name in _GIVEN[mode] or (name, mode) == ("export_outputs", "PREDICT")
    }
