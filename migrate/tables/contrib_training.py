"""Lists the parameters of contrib's `optimize_loss` and its defaults (TensorFlow 1.15.5)."""

from __future__ import annotations

OPTIMIZE_LOSS = frozenset(
    {"tf.contrib.layers.optimize_loss", "tf.contrib.slim.optimize_loss"}
)
OPTIMIZE_LOSS_PARAMETERS = (
    *("loss", "global_step", "learning_rate", "optimizer", "gradient_noise_scale"),
    *("gradient_multipliers", "clip_gradients", "learning_rate_decay_fn"),
    *("update_ops", "variables", "name", "summaries", "colocate_gradients_with_ops"),
    "increment_global_step",
)
# Parameters for which the emitted `optimize_loss` raises an error.
NOT_EMITTED = frozenset({"gradient_noise_scale", "gradient_multipliers"})
# Those whose effect is known; where gradients are computed changes nothing of them.
READ = frozenset(OPTIMIZE_LOSS_PARAMETERS) - NOT_EMITTED - {"increment_global_step"}
SCOPE = "OptimizeLoss"
# The summaries that it writes without a list. Each other kind is written for each gradient.
SUMMARIES = frozenset({"loss", "learning_rate", "global_gradient_norm"})
# Name of an optimizer -> its class, and the arguments that follow the learning rate.
BY_NAME: dict[str, tuple[str, str]] = {
    "Adagrad": ("train.AdagradOptimizer", ""),
    "Adam": ("train.AdamOptimizer", ""),
    "Ftrl": ("train.FtrlOptimizer", ""),
    "Momentum": ("train.MomentumOptimizer", ", 0.9"),
    "RMSProp": ("train.RMSPropOptimizer", ""),
    "SGD": ("train.GradientDescentOptimizer", ""),
}
