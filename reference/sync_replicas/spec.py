"""Two workers, in step: each update averages both gradients."""

from __future__ import annotations

from reference.scenario import Run, Scenario

_MODEL = ("--batch_size=32", "--hidden_units=32", "--loss=squared")
_EXACT = "the same float32 operations in the same order"
# Measured 1.2e-7 at losses of order 1, over 200 steps.
_ROUNDED = "newer Eigen rounds the update's square root and division otherwise"
_AMPLIFIED = "one ULP of the initial weights moves TF 1.15.5 itself as far"

SCENARIO = Scenario(
    name="sync_replicas",
    steps=200,
    workers=2,
    runs=(
        Run("sgd", (*_MODEL, "--optimizer=sgd"), 0.0, _EXACT),
        Run("momentum", (*_MODEL, "--optimizer=momentum"), 0.0, _EXACT),
        Run("adam", (*_MODEL, "--optimizer=adam"), 1e-6, _ROUNDED),
        # At the default rate of 0.01 this training amplifies last bits for some steps.
        # TF 1.15.5 against itself with initial weights moved by one ULP: losses part
        # by 1.4e-5, slots by 2.5e-5; its migration: 1.04e-5 and 1.9e-5.
        Run("adagrad", (*_MODEL, "--optimizer=adagrad"), 5e-5, _AMPLIFIED),
        Run(
            "adagrad_slow",
            (*_MODEL, "--optimizer=adagrad", "--learning_rate=0.001"),
            1e-6,
            _ROUNDED,
        ),
    ),
)
