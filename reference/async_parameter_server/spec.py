"""Asynchronous training between graphs: two parameter servers, two workers in turns."""

from __future__ import annotations

from reference.scenario import Fault, Looser, Order, Run, Scenario, Topology

_MODEL = ("--batch_size=32", "--hidden_units=32", "--loss=squared")
_OPTIMIZERS = ("sgd", "momentum", "adam", "adagrad")
_EXACT = "the same operations in the same order"
_ROUNDED = (
    "TensorFlow 2's Eigen rounds the update's square root and division differently"
)
_SOFTMAX = "Eigen's exp differs by one ULP between the versions"
# Weights and slots are equal to the last bit; the gradient of a sum does not depend on
# it. Measured 2.2e-16, 2 ULPs.
_SUMMED = Looser("*/loss", 1e-15, "float64 reductions add their terms in another order")
# Measured 1.9e-6.
_LARGE = Looser(
    "checkpoint/*/Adagrad", 4e-6, "sums of squares above 16: 1 ULP is 1.9e-6"
)
_ALONE = Topology(ps=1, workers=1)

# At 0.01 Adam's and Adagrad's first losses reach 50, where one float32 ULP is 4e-6.
_RATES = {"adam": ("--learning_rate=0.001",), "adagrad": ("--learning_rate=0.001",)}


def _run(
    optimizer: str,
    dtype: str = "float32",
    suffix: str | None = None,
    topology: Topology | None = None,
) -> Run:
    exact = dtype == "float64" or optimizer in ("sgd", "momentum")
    return Run(
        f"{optimizer}_{suffix or dtype}",
        (*_MODEL, f"--optimizer={optimizer}", *_RATES.get(optimizer, ())),
        dtype,
        0.0 if exact else 1e-6,
        _EXACT if exact else _ROUNDED,
        looser=(_SUMMED,) if dtype == "float64" else (_LARGE,),
        topology=topology,
    )


SCENARIO = Scenario(
    name="async_parameter_server",
    title="asynchronous training; each worker builds its own graph",
    steps=200,
    topology=Topology(ps=2, workers=2, order=Order.TURNS),
    runs=(
        *(_run(o, d) for d in ("float32", "float64") for o in _OPTIMIZERS),
        *(_run(o, suffix="alone", topology=_ALONE) for o in _OPTIMIZERS),
        Run(
            "cross_entropy",
            ("--batch_size=32", "--hidden_units=32", "--optimizer=momentum"),
            tolerance=1e-6,
            reason=_SOFTMAX,
            topology=_ALONE,
        ),
    ),
    faults=(
        Fault(
            "epsilon",
            "adam_float32",
            "AdamOptimizer(learning_rate)",
            "AdamOptimizer(learning_rate, epsilon=1e-5)",
            steps=50,
        ),
        Fault(
            "batches", "sgd_alone", "seed=FLAGS.seed)", "seed=FLAGS.seed + 1)", steps=20
        ),
        Fault(
            "rate",
            "adagrad_alone",
            "AdagradOptimizer(learning_rate)",
            "AdagradOptimizer(1.01 * learning_rate)",
            steps=50,
        ),
        Fault(
            "momentum",
            "momentum_float64",
            "MomentumOptimizer(learning_rate, 0.9)",
            "MomentumOptimizer(learning_rate, 0.9, use_nesterov=True)",
            steps=20,
        ),
    ),
    data=True,
    checkpoint=True,
    proves=(
        "optimizers:tf.train.GradientDescentOptimizer",
        "optimizers:tf.train.MomentumOptimizer",
        "optimizers:tf.train.AdamOptimizer",
        "optimizers:tf.train.AdagradOptimizer",
    ),
)
