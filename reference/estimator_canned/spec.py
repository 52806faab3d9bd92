"""Ready-made Estimators on feature columns of every kind, from serialized examples."""

from __future__ import annotations

from reference.scenario import SINGLE, Fault, Looser, Run, Scenario

_OPTIMIZERS = "canned_estimators/optimizers.py"
_EXP = "exp differs by one ULP, and TensorFlow 2's Eigen rounds roots and powers differently"
_COUNTS = (
    Looser("*/eval/accuracy*", 0.0, "the metric counts examples, so it must be equal"),
    Looser("*/class_ids", 0.0, "a class number must be equal"),
    # Losses are sums over a batch, so gradients are large.
    Looser("checkpoint/*/Adagrad", 1e-3, "sums of squares of about 2e3: four ULPs"),
    Looser("checkpoint/*/Ftrl*", 2e-4, "sums of squares of about 500: four ULPs"),
)


def _run(name: str, model: str, optimizer: str, tolerance: float) -> Run:
    return Run(
        name,
        (f"--model={model}", f"--optimizer={optimizer}"),
        tolerance=tolerance,
        reason=_EXP,
        looser=_COUNTS,
    )


SCENARIO = Scenario(
    name="estimator_canned",
    title="ready-made linear and deep Estimators on feature columns",
    steps=100,
    topology=SINGLE,
    checkpoint=True,
    no_compat="TensorFlow 2.16 and later have no tf.estimator",
    runs=(
        # The first run's weights are everybody's: it has no slots.
        _run("linear_sgd", "linear", "sgd", 5e-6),
        _run("linear", "linear", "default", 5e-6),
        _run("dnn", "dnn", "default", 1e-5),
        _run("regressor", "regressor", "adam", 2e-5),
    ),
    faults=(
        Fault(
            "rate of a linear model",
            "linear",
            '"linear": 0.2,',
            '"linear": 0.199,',
            file=_OPTIMIZERS,
        ),
        Fault(
            "rate of a network", "dnn", '"dnn": 0.05', '"dnn": 0.0499', file=_OPTIMIZERS
        ),
        Fault(
            "mean of a batch, not its sum",
            "dnn",
            "_SUM = v1.losses.Reduction.SUM",
            "_SUM = v1.losses.Reduction.SUM_OVER_BATCH_SIZE",
            file="canned_estimators/estimators.py",
        ),
        Fault(
            "weights of examples left out",
            "linear_sgd",
            "losses, weights=weights, reduction=self._reduction",
            "losses, weights=1.0, reduction=self._reduction",
            file="estimator_heads.py",
        ),
        Fault(
            "averages too fast",
            "regressor",
            "momentum=0.999",
            "momentum=0.99",
            file="canned_estimators/logits.py",
        ),
    ),
)
