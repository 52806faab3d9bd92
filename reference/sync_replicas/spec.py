"""Synchronous training: two workers in step, each update averages both gradients."""

from __future__ import annotations

from reference.scenario import (
    Alternative,
    Fault,
    Looser,
    Order,
    Run,
    Scenario,
    Topology,
)

_MODEL = ("--batch_size=32", "--hidden_units=32", "--loss=squared")
_OPTIMIZERS = ("sgd", "momentum", "adam", "adagrad")
_EXACT = "the same operations in the same order"
_ROUNDED = (
    "TensorFlow 2's Eigen rounds the update's square root and division differently"
)
_AMPLIFIED = "TensorFlow 1.15.5's own result changes as much if its initial weights change by one ULP"
# Weights and slots are equal to the last bit; the gradient of a sum does not depend on
# it. Measured 2.2e-16, 2 ULPs.
_SUMMED = Looser("*/loss", 1e-15, "float64 reductions add their terms in another order")

# At 0.01 Adam's and Adagrad's first losses reach 50, where one float32 ULP is 4e-6.
_RATES = {"adam": ("--learning_rate=0.001",), "adagrad": ("--learning_rate=0.001",)}


def _run(optimizer: str, dtype: str) -> Run:
    exact = dtype == "float64" or optimizer in ("sgd", "momentum")
    return Run(
        f"{optimizer}_{dtype}",
        (*_MODEL, f"--optimizer={optimizer}", *_RATES.get(optimizer, ())),
        dtype,
        0.0 if exact else 1e-6,
        _EXACT if exact else _ROUNDED,
        looser=(_SUMMED,) if dtype == "float64" else (),
    )


SCENARIO = Scenario(
    name="sync_replicas",
    title="SyncReplicasOptimizer",
    steps=200,
    topology=Topology(ps=1, workers=2, order=Order.IN_STEP),
    runs=(
        *(_run(o, d) for d in ("float32", "float64") for o in _OPTIMIZERS),
        # At the default rate of 0.01 this training amplifies last bits for some steps.
        # TF 1.15.5 against itself with initial weights moved by one ULP: losses part
        # by 1.4e-5, slots by 2.5e-5; its migration: 1.04e-5 and 1.9e-5, and slots by
        # 5.4e-5 on a processor with AVX-512, which begins with other ULPs.
        Run(
            "adagrad_amplified",
            (*_MODEL, "--optimizer=adagrad"),
            tolerance=2e-4,
            reason=_AMPLIFIED,
        ),
    ),
    faults=(
        Fault(
            "sum instead of mean",
            "adagrad_amplified",
            "replicas.average(gradients)",
            "gradients",
            steps=50,
        ),
        Fault(
            "workers swapped",
            "sgd_float32",
            "seed=FLAGS.seed + task_index)",
            "seed=FLAGS.seed + 1 - task_index)",
            steps=20,
        ),
    ),
    alternatives=(
        Alternative(
            "mirrored",
            "tf2_mirrored.py",
            "a program with MirroredStrategy on two logical devices of one process",
            ("sgd_float32", "momentum_float64", "adam_float32", "adagrad_float64"),
        ),
    ),
    data=True,
    checkpoint=True,
    proves=(
        "roles:tf.train.SyncReplicasOptimizer",
        "optimizers:tf.train.GradientDescentOptimizer",
        "optimizers:tf.train.MomentumOptimizer",
        "optimizers:tf.train.AdamOptimizer",
        "optimizers:tf.train.AdagradOptimizer",
    ),
)
