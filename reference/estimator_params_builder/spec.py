"""A model_fn from a builder, as in public BERT code, tuned from a pretrained checkpoint."""

from __future__ import annotations

from reference.scenario import SINGLE, Fault, Looser, Run, Scenario

_REASON = (
    "exp, tanh and erf differ by one ULP, and Adam divides by roots of small squares"
)

SCENARIO = Scenario(
    name="estimator_params_builder",
    title="TPUEstimators whose model_fn a builder makes: pretraining, then fine-tuning; weight decay, warm-up",
    steps=100,
    topology=SINGLE,
    no_compat="TensorFlow 2.16 and later have no tf.estimator",
    runs=(
        Run(
            "float32",
            tolerance=5e-6,
            reason=_REASON,
            looser=(
                Looser(
                    "*/eval/eval_accuracy",
                    0.0,
                    "the metric counts examples, so it must be equal",
                ),
                Looser(
                    "*/key/bias",
                    2e-4,
                    "softmax cancels this bias, so its gradients are only rounding errors",
                ),
            ),
        ),
    ),
    faults=(
        Fault(
            "not from the pretrained encoder",
            "float32",
            "part.assign(value[first : first + rows.var_shape[0]] if rows else value)",
            "pass",
            steps=12,
            file="estimator_loop/variables.py",
        ),
        Fault(
            "biases decay too",
            "float32",
            '["LayerNorm", "layer_norm", "bias"]',
            '["LayerNorm", "layer_norm"]',
        ),
    ),
)
