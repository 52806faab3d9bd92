"""A Supervisor's session: asynchronous, and SyncReplicasOptimizer in its older wiring.

The wiring of before MonitoredTrainingSession: `chief_init_op`, `local_step_init_op` and
`ready_for_local_init_op` given to the Supervisor, `get_chief_queue_runner` started by
it, `get_init_tokens_op` run by the chief. One worker trains: the order of two would be
a race, and with one a step has one possible value. Two workers in this wiring are run
in `tests/programs/clustered/sync_old_wiring.py`, in step with each other in `sync_replicas`.
"""

from __future__ import annotations

from reference.scenario import Fault, Looser, Run, Scenario, Topology

_EXACT = "the same operations in the same order"
_ROUNDED = "TensorFlow 2's Eigen rounds Adam's square root and division differently"
# As in sync_replicas: the weights are equal to the last bit.
_SUMMED = Looser("*/loss", 1e-15, "float64 reductions add their terms in another order")
_LARGE = Looser("*/loss", 1e-6, "float32 reductions add their terms in another order")


def _run(optimizer: str, dtype: str, *, sync: bool) -> Run:
    exact = dtype == "float64" or optimizer != "adam"
    return Run(
        f"{'sync' if sync else 'async'}_{optimizer}_{dtype}",
        (f"--optimizer={optimizer}", *(["--sync_replicas"] if sync else [])),
        dtype,
        0.0 if exact else 1e-6,
        _EXACT if exact else _ROUNDED,
        looser=(_SUMMED,) if dtype == "float64" else (_LARGE,),
    )


SCENARIO = Scenario(
    name="supervisor",
    title="Supervisor, and the older wiring of SyncReplicasOptimizer",
    steps=100,
    topology=Topology(ps=2, workers=1),
    runs=(
        _run("sgd", "float32", sync=False),
        _run("momentum", "float64", sync=False),
        _run("adam", "float32", sync=False),
        _run("sgd", "float32", sync=True),
        _run("momentum", "float64", sync=True),
        _run("adam", "float32", sync=True),
    ),
    faults=(
        Fault(
            "rate",
            "async_sgd_float32",
            "GradientDescentOptimizer(learning_rate)",
            "GradientDescentOptimizer(1.001 * learning_rate)",
            steps=20,
        ),
        Fault(
            "momentum",
            "sync_momentum_float64",
            "(learning_rate, 0.9)",
            "(learning_rate, 0.9, use_nesterov=True)",
            steps=20,
        ),
        Fault(
            "a sum over the batch",
            "async_momentum_float64",
            "tf.square(y - y_), axis=1",
            "tf.square(y - y_), axis=0",
            steps=20,
        ),
        Fault(
            "another worker's data",
            "sync_sgd_float32",
            "RandomState(100 * FLAGS.seed + task_index)",
            "RandomState(100 * FLAGS.seed + task_index + 1)",
            steps=20,
        ),
    ),
    checkpoint=True,
)
