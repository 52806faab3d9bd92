"""A model_fn of layers that becomes a Keras model, in train_and_evaluate."""

from __future__ import annotations

from reference.scenario import SINGLE, Alternative, Fault, Looser, Run, Scenario

_EXP = "exp and tanh differ by one ULP"
_ROOTS = f"{_EXP}, and the update divides by roots of small squares"
_COUNTS = tuple(
    Looser(f"*/{name}", 0.0, "a count of rows or a class, so it must be equal")
    for name in ("eval/accuracy", "eval/precision", "liked")
)


def _run(optimizer: str, tolerance: float, dtype: str = "float32") -> Run:
    name = optimizer if dtype == "float32" else f"{optimizer}_{dtype}"
    looser = _COUNTS
    if dtype == "float64":
        # TF1's streaming metrics count in float32 whatever they are given.
        looser += (Looser("*/eval/*", 1e-6, "metrics are float32"),)
    reason = _ROOTS if optimizer in ("adam", "rmsprop") else _EXP
    return Run(
        name, (f"--optimizer={optimizer}",), dtype, tolerance, reason, looser=looser
    )


SCENARIO = Scenario(
    name="estimator_layers",
    title="an Estimator of layers as a Keras model: two inputs, train_and_evaluate",
    steps=120,
    topology=SINGLE,
    checkpoint=True,
    no_compat="TensorFlow 2.16 and later have no tf.estimator",
    runs=(
        # The first run's weights are everybody's: it has no slots.
        _run("sgd", 1e-6),
        _run("momentum", 2e-6),
        _run("adagrad", 2e-6),
        _run("rmsprop", 2e-5),
        _run("adam", 5e-5),
        _run("momentum", 1e-13, "float64"),
        _run("adam", 1e-12, "float64"),
    ),
    faults=(
        Fault("rate", "adagrad", "(1.0, 0.5, 0.1)", "(1.0, 0.51, 0.1)"),
        Fault(
            "a tower reads the other's features",
            "sgd",
            "tf.concat([user, item, user * item], axis=1)",
            "tf.concat([user, user, user * item], axis=1)",
        ),
        Fault("penalty left out", "momentum", " + params", " + 0 * params"),
        Fault(
            "the rate does not follow the step",
            "adam",
            "global_step, [40, 80]",
            "tf.constant(0, tf.int64), [40, 80]",
        ),
        Fault(
            "an area of nothing",
            "sgd",
            "self.auc.update_state(labels, probability)",
            "self.auc.update_state(labels, 0 * probability)",
        ),
        Fault(
            "epsilon",
            "adam",
            "AdamOptimizer(rate)",
            "AdamOptimizer(rate, epsilon=1e-4)",
        ),
    ),
    alternatives=(
        Alternative(
            "estimator",
            "tf2_estimator.py",
            "the migration with `--estimators estimator`",
            ("sgd", "adam"),
            estimators="estimator",
        ),
    ),
)
