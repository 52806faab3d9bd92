"""Names of an Estimator's members, which a class of it must not bind to something else."""

from __future__ import annotations

ESTIMATOR = "tf.estimator.Estimator"

# What TensorFlow 1.15.5's Estimator set of its object, and what it had: a class of a program
# that binds one of these has not what it bound.
OF_TF1: frozenset[str] = frozenset(
    {"model_fn", "_call_model_fn", "_config", "_model_dir", "_session_config"}
    | {"_device_fn", "_model_fn", "_params", "_warm_start_settings"}
    | {"_eval_distribution", "_train_distribution", "config", "model_dir", "params"}
)

# Private members of the Estimators of `estimator_loop` and `keras_estimator` that
# TensorFlow 1.15.5's had not.
EMITTED: frozenset[str] = frozenset(
    {"_check_arguments", "_choose_pace", "_cluster", "_graph", "_input", "_model"}
    | {"_new_model", "_params_of", "_pruned", "_restore", "_seed", "_serving"}
    | {"_training_input", "_warm_start_from"}
)
