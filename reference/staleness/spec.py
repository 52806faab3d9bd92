"""Stale gradients: both workers read, then both write, scripted run by run.

A step of a worker is two runs, one that reads the weights and computes, one that
writes. In turns that is read, read, write, write: every second update is by a gradient
of weights that the first one has replaced. The same program with --sync_replicas
averages the two gradients, which is what staleness costs against
(tests/reference/test_staleness.py).
"""

from __future__ import annotations

from reference.scenario import Fault, Order, Run, Scenario, Topology

_EXACT = "the same operations in the same order"
_IN_STEP = Topology(ps=1, workers=2, order=Order.IN_STEP)
# A rate at which this momentum bears no stale gradient, but an averaged one.
_MOMENTUM = ("--learning_rate=0.05", "--momentum=0.9")


def _stale(name: str, dtype: str, *arguments: str) -> Run:
    return Run(name, arguments, dtype, 0.0, _EXACT)


def _synchronous(name: str, dtype: str, *arguments: str) -> Run:
    return Run(
        name, ("--sync_replicas", *arguments), dtype, 0.0, _EXACT, topology=_IN_STEP
    )


SCENARIO = Scenario(
    name="staleness",
    title="gradients that are stale by one update",
    steps=200,
    topology=Topology(ps=1, workers=2, order=Order.TURNS),
    runs=(
        _stale("stale_float32", "float32", *_MOMENTUM),
        _stale("stale_float64", "float64", *_MOMENTUM),
        _synchronous("synchronous_float32", "float32", *_MOMENTUM),
        _synchronous("synchronous_float64", "float64", *_MOMENTUM),
        # Without momentum two stale updates are one of twice the averaged gradient.
        _stale("stale_plain", "float64", "--learning_rate=0.1"),
        _synchronous("synchronous_twice", "float64", "--learning_rate=0.2"),
    ),
    faults=(
        # What the workers feed later changes nothing, as there is no momentum.
        Fault(
            "fresh",
            "stale_plain",
            "return [[w1, w2], gradients, loss]",
            "read = [w1.read_value(), w2.read_value()]\n"
            "      with tf.control_dependencies([*read, *gradients, loss]):\n"
            "        opt.apply_gradients(zip(gradients, [w1, w2]))\n"
            "      return [read, [0 * g for g in gradients], loss]",
            steps=20,
        ),
        Fault(
            "averaged",
            "stale_float32",
            "average(gradients)",
            "average([g / 2 for g in gradients])",
            steps=20,
        ),
        Fault(
            "sum instead of mean",
            "synchronous_float64",
            "replicas.average(gradients)",
            "gradients",
            steps=20,
        ),
    ),
    proves=(
        "roles:tf.train.SyncReplicasOptimizer",
        "optimizers:tf.train.MomentumOptimizer",
    ),
)
