"""A custom model_fn, trained, evaluated at every checkpoint and asked for predictions."""

from __future__ import annotations

from reference.scenario import SINGLE, Alternative, Fault, Looser, Run, Scenario

_FIT = "fit_callbacks.py"
_ESTIMATOR = "tf2_estimator.py"
_LOOP = "estimator_loop/estimator.py"
# Metrics are float32 in both, whatever the model is; of order 1, so 2 ULPs.
_METRICS = Looser(
    "*/eval/*",
    2.5e-7,
    "metrics are float32: tf_keras and TensorFlow 1 compute a root differently",
)


def _run(optimizer: str, dtype: str = "float32") -> Run:
    name = optimizer if dtype == "float32" else f"{optimizer}_{dtype}"
    arguments = (f"--optimizer={optimizer}",)
    if optimizer in ("sgd", "momentum"):
        return Run(name, arguments, dtype)
    if dtype == "float64":
        reason = "the same operations; square roots differ by one ULP"
        return Run(name, arguments, dtype, 2e-15, reason, looser=(_METRICS,))
    reason = "TensorFlow 2's Eigen rounds square roots and divisions differently"
    return Run(name, arguments, dtype, 1e-6, reason)


SCENARIO = Scenario(
    name="estimator_train_and_evaluate",
    title="an Estimator's train_and_evaluate and predict",
    steps=120,
    topology=SINGLE,
    checkpoint=True,
    no_compat="TensorFlow 2.16 and later have no tf.estimator",
    runs=(
        # The first run's weights are everybody's: it has no slots.
        _run("sgd"),
        _run("momentum"),
        _run("adagrad"),
        _run("adam"),
        _run("adagrad", "float64"),
        _run("adam", "float64"),
    ),
    faults=(
        Fault(
            "rate",
            "adagrad",
            "AdagradOptimizer(rate)",
            "AdagradOptimizer(rate * 1.001)",
        ),
        Fault(
            "evaluates an older checkpoint",
            "sgd",
            "spec.input_fn, spec.steps, list(spec.hooks), path, spec.name",
            "spec.input_fn, spec.steps, list(spec.hooks), "
            "path[: path.rindex('-')] + '-25', spec.name",
            file="estimator_loop/timeline.py",
            program=_ESTIMATOR,
        ),
        Fault(
            "evaluates one batch",
            "adam",
            "if session.stop or number == steps:",
            "if session.stop or number == 1:",
            file=_LOOP,
            program=_ESTIMATOR,
        ),
        Fault(
            "predicts with initial weights",
            "adam",
            "checkpoint_path = checkpoint_path or self.latest_checkpoint()",
            "checkpoint_path = checkpoint_path or f'{self.model_dir}/model.ckpt-25'",
            file=_LOOP,
            program=_ESTIMATOR,
        ),
        Fault(
            "slots not restored",
            "momentum",
            "parts[0].assign(value)",
            "parts[0].assign(value + 1.0 * ('Momentum' in name))"
            " if 'Momentum' in name else parts[0].assign(value)",
            file="training_session/checkpoints.py",
            program=_ESTIMATOR,
        ),
        Fault(
            "the copy keeps an older checkpoint's values",
            "sgd",
            "model = restore(self.model, self.model_dir)",
            "model = self.model if step > 25 else restore(self.model, self.model_dir)",
            file=_FIT,
        ),
        Fault(
            "the copy evaluates one batch",
            "adam",
            ".take(-1 if self._steps is None else self._steps)",
            ".take(1)",
            file=_FIT,
        ),
        Fault(
            "fit begins with other slots",
            "momentum",
            "variable.assign(tf.train.load_variable(path, name))",
            "variable.assign(tf.train.load_variable(path, name))"
            " if 'Momentum' not in name else variable.assign(variable + 1.0)",
            file=_FIT,
        ),
    ),
    alternatives=(
        Alternative(
            "estimator",
            "tf2_estimator.py",
            "the migration with `--estimators estimator`",
            ("sgd", "momentum", "adam"),
            estimators="estimator",
        ),
    ),
)
