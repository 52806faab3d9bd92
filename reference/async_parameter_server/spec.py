"""One worker: the order of updates is the order of steps."""

from __future__ import annotations

from reference.scenario import Run, Scenario

_MODEL = ("--batch_size=32", "--hidden_units=32", "--loss=squared")
_EXACT = "the same float32 operations in the same order"
# Measured 1.2e-7 at losses of order 1, over 200 steps.
_ROUNDED = "newer Eigen rounds the update's square root and division otherwise"

SCENARIO = Scenario(
    name="async_parameter_server",
    steps=200,
    workers=1,
    runs=(
        Run("sgd", (*_MODEL, "--optimizer=sgd"), 0.0, _EXACT),
        Run("momentum", (*_MODEL, "--optimizer=momentum"), 0.0, _EXACT),
        Run("adam", (*_MODEL, "--optimizer=adam"), 1e-6, _ROUNDED),
        Run("adagrad", (*_MODEL, "--optimizer=adagrad"), 1e-6, _ROUNDED),
    ),
)
