"""Towers within each worker, asynchronous and synchronous, against workers of several towers.

What the migration has to keep: a worker's update is the mean of its towers', each of which saw
its own part of the worker's batch; it is clipped before the workers meet, where it is; the
variables are one, and a step is counted once for each worker, or once for all.
"""

from __future__ import annotations

from reference.scenario import Fault, Order, Run, Scenario, Topology

_EXACT = "the same operations in the same order"
_ROUNDED = (
    "TensorFlow 2's Eigen rounds the update's square root and division differently"
)
_NORM = "the squares of a norm are added in another order"
_SYNC = Topology(ps=1, workers=2, order=Order.IN_STEP)


def _run(optimizer: str, dtype: str, sync: bool) -> Run:
    arguments = [f"--optimizer={optimizer}"]
    exact = dtype == "float64" or optimizer != "adam"
    return Run(
        f"{'sync' if sync else 'async'}_{optimizer}_{dtype}",
        (*arguments, *(("--sync_replicas",) if sync else ())),
        dtype,
        0.0 if exact else 1e-6,
        _EXACT if exact else _ROUNDED,
        topology=_SYNC if sync else None,
    )


SCENARIO = Scenario(
    name="towers_of_workers",
    title="a tower for each GPU of every worker, asynchronous and synchronous",
    steps=120,
    topology=Topology(ps=2, workers=2, order=Order.TURNS),
    runs=(
        *(
            _run(optimizer, dtype, sync)
            for sync in (False, True)
            for optimizer, dtype in (
                ("sgd", "float32"),
                ("momentum", "float64"),
                ("adam", "float32"),
            )
        ),
        Run(
            "async_three_towers",
            ("--optimizer=momentum", "--num_gpus=3", "--batch_size=48"),
            "float64",
        ),
        Run(
            "sync_clipped",
            ("--optimizer=momentum", "--sync_replicas", "--max_gradient=0.5"),
            "float64",
            1e-14,
            _NORM,
            topology=_SYNC,
        ),
    ),
    faults=(
        Fault(
            "the last tower alone",
            "async_sgd_float32",
            "grads = replicas.averaged(tower_gradients)",
            "replicas.averaged(tower_gradients)\n      grads = tower_gradients",
            steps=20,
        ),
        Fault(
            "sum over towers",
            "sync_sgd_float32",
            "grads = replicas.averaged(tower_gradients)",
            "grads = [(FLAGS.num_gpus * g, v) for g, v in replicas.averaged(tower_gradients)]",
            steps=20,
        ),
        Fault(
            "the first part for all towers",
            "async_three_towers",
            "i = replicas.tower()",
            "i = 0 * replicas.tower()",
            steps=20,
        ),
        Fault(
            "clipped in every tower",
            "sync_clipped",
            "grads = replicas.averaged(tower_gradients)",
            "grads = tower_gradients",
            steps=20,
        ),
        Fault(
            "one worker alone",
            "sync_momentum_float64",
            "replicas.average(gradients)",
            "gradients",
            steps=20,
        ),
        Fault(
            "towers in another order",
            "async_momentum_float64",
            "i = replicas.tower()",
            "i = FLAGS.num_gpus - 1 - replicas.tower()",
            steps=20,
        ),
    ),
    checkpoint=True,
)
