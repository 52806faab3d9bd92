"""A linear model and a network under one loss, with partitioned embeddings."""

from __future__ import annotations

from reference.scenario import SINGLE, Fault, Looser, Run, Scenario

_COUNTS = (
    Looser("*/eval/accuracy*", 0.0, "the metric counts examples, so it must be equal"),
    Looser("*/eval/precision", 0.0, "the metric counts examples, so it must be equal"),
    Looser("*/eval/recall", 0.0, "the metric counts examples, so it must be equal"),
    Looser("*/class_ids", 0.0, "a class number must be equal"),
    # Prices are not scaled, so gradients are large.
    Looser("checkpoint/*/Adagrad", 2e-3, "sums of squares of about 1e4: two ULPs"),
    Looser("checkpoint/*/Ftrl*", 2e-4, "sums of squares of about 500: four ULPs"),
)
_EXP = "exp differs by one ULP, and TensorFlow 2's Eigen rounds roots and powers differently"

SCENARIO = Scenario(
    name="estimator_wide_deep",
    title="a ready-made wide and deep Estimator with partitioned embeddings",
    steps=100,
    topology=SINGLE,
    checkpoint=True,
    no_compat="TensorFlow 2.16 and later have no tf.estimator",
    runs=(
        # The first run's weights are everybody's: it has no slots.
        Run("sgd", ("--optimizer=sgd",), tolerance=5e-6, reason=_EXP, looser=_COUNTS),
        Run("default", tolerance=5e-6, reason=_EXP, looser=_COUNTS),
    ),
    faults=(
        Fault(
            "parts in another order",
            "sgd",
            "found.setdefault(name, []).extend(parts)",
            "found.setdefault(name, []).insert(0, *parts)",
            file="training_session/replicas.py",
        ),
        Fault(
            "the linear model's rate without a bound",
            "default",
            "min(RATES[model], 1.0 / math.sqrt(len(columns)))",
            "1.0 / math.sqrt(len(columns))",
            file="canned_estimators/optimizers.py",
        ),
        Fault(
            "one optimizer trains both",
            "sgd",
            "v1.GraphKeys.TRAINABLE_VARIABLES, scope=scope",
            "v1.GraphKeys.TRAINABLE_VARIABLES",
            file="canned_estimators/model_functions.py",
        ),
    ),
)
