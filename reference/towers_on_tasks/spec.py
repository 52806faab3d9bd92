"""Towers on the tasks of a cluster, against replicas that compute there.

What the migration has to keep: every worker's tower sees its own part of the batch, the
variables are one and where the device setter has dealt them, the gradients are averaged
before they are clipped and applied. `stored_by` is the parameter server of each variable, as
the runtime reports it.
"""

from __future__ import annotations

from reference.scenario import Fault, Run, Scenario, Shape, Topology

_EXACT = "the same operations in the same order"
_ROUNDED = (
    "TensorFlow 2's Eigen rounds the update's square root and division differently"
)
# Two gradients have one order. Of more, TF1's program adds the rows of a matrix,
# the strategy tensors one by one.
_THREE = "three gradients are added in another order"
_NORM = "the squares of a norm are added in another order"


def _run(optimizer: str, dtype: str) -> Run:
    arguments = [f"--optimizer={optimizer}"]
    if optimizer == "adam":
        arguments.append("--learning_rate=0.01")
    exact = dtype == "float64" or optimizer != "adam"
    return Run(
        f"{optimizer}_{dtype}",
        tuple(arguments),
        dtype,
        0.0 if exact else 1e-6,
        _EXACT if exact else _ROUNDED,
    )


def _cluster(ps: int, workers: int) -> Topology:
    return Topology(ps=ps, workers=workers, shape=Shape.CLIENT)


SCENARIO = Scenario(
    name="towers_on_tasks",
    title="a tower on every worker, in one graph, run by a client",
    steps=200,
    topology=_cluster(2, 2),
    runs=(
        *(
            _run(optimizer, dtype)
            for dtype in ("float32", "float64")
            for optimizer in ("sgd", "momentum", "adam")
        ),
        Run(
            "clipped",
            ("--optimizer=momentum", "--max_gradient=0.5"),
            "float64",
            1e-14,
            _NORM,
        ),
        Run(
            "three_workers",
            ("--optimizer=momentum",),
            "float64",
            1e-14,
            _THREE,
            topology=_cluster(1, 3),
        ),
    ),
    faults=(
        Fault(
            "sum instead of mean",
            "sgd_float32",
            "grads = replicas.averaged(tower_gradients)",
            "grads = [(num_workers * g, v) for g, v in replicas.averaged(tower_gradients)]",
            steps=20,
        ),
        Fault(
            "towers swapped",
            "momentum_float32",
            "i = tf.get_static_value(",
            "i = num_workers - 1 - tf.get_static_value(",
            steps=20,
        ),
        Fault(
            "one part for all",
            "three_workers",
            "i = tf.get_static_value(",
            "i = 0 * tf.get_static_value(",
            steps=20,
        ),
        Fault(
            "clipped before the mean",
            "clipped",
            "replicas.averaged(tower_gradients)",
            "tower_gradients",
            steps=20,
        ),
        Fault(
            "all variables on one server",
            "adam_float64",
            "dealt_to=cluster",
            'dealt_to=tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(",")[:1]})',
        ),
        Fault(
            "steps not counted",
            "momentum_float64",
            "variables), global_step=global_step)",
            "variables))",
            steps=60,
        ),
    ),
)
