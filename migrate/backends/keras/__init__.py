"""Writes a model_fn as a class of tf_keras.Model, and has Estimators train it.

The user's statements move: those of the network into `__init__`, what computes
predictions, loss and metrics into the step that needs them. `keras_estimator`, written
beside the program, calls the steps where tf.estimator ran a session.
"""

from __future__ import annotations

from migrate.backends.keras.rewrite import KerasRewrite

__all__ = ["KerasRewrite"]
