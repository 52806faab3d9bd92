"""Sparse gradients in synchronous training: a row's average is over who touched it.

The ids of a batch are sorted and distinct, as TF1's accumulator takes them to be. What
it does with others depends on their order; the tool says so at the line (O111).
"""

from __future__ import annotations

from reference.scenario import Fault, Order, Run, Scenario, Topology

_EXACT = "the same operations in the same order"
_ROUNDED = "TensorFlow 2's Eigen rounds square roots and divisions differently"
# Measured 2.4e-7 (4 ULPs) and 4.4e-16. The others have a sparse kernel that adds first.
_IN_TURN = (
    "TensorFlow 2's SGD subtracts the replicas' parts one by one, and TensorFlow 1's "
    "subtracts their average at once"
)
_TOLERANCES = {
    ("sgd", "float32"): (1e-6, _IN_TURN),
    ("sgd", "float64"): (1e-14, _IN_TURN),
    ("adagrad", "float32"): (1e-6, _ROUNDED),
}


def _run(optimizer: str, dtype: str) -> Run:
    tolerance, reason = _TOLERANCES.get((optimizer, dtype), (0.0, _EXACT))
    return Run(
        f"{optimizer}_{dtype}",
        (f"--optimizer={optimizer}",),
        dtype,
        tolerance,
        reason,
    )


SCENARIO = Scenario(
    name="sparse_sync",
    title="SyncReplicasOptimizer averages each row over the workers that touched it",
    steps=120,
    topology=Topology(ps=1, workers=2, order=Order.IN_STEP),
    runs=tuple(
        _run(optimizer, dtype)
        for dtype in ("float32", "float64")
        for optimizer in ("sgd", "momentum", "adagrad")
    ),
    faults=(
        Fault(
            "average over all workers",
            "sgd_float32",
            "return by_contributors(gradient)",
            "return tf.math.scalar_mul(1.0 / replicas, gradient)",
            steps=12,
            file="training_session/replicas.py",
        ),
        Fault(
            "sum over the workers",
            "adagrad_float64",
            "gradient.values / times",
            "gradient.values",
            steps=12,
            file="training_session/replicas.py",
        ),
        Fault(
            "dense average left out",
            "momentum_float64",
            "gradient * (1.0 / replicas)",
            "gradient",
            steps=12,
            file="training_session/replicas.py",
        ),
    ),
    proves=(
        "roles:tf.train.SyncReplicasOptimizer",
        "semantics:tf.nn.embedding_lookup",
    ),
)
