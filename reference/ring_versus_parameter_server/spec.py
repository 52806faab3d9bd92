"""The same synchronous training by parameter server and by ring all-reduce.

TF1 adds the gradients up on a parameter server. Its migration adds them up by all-reduce
(tf2.py leaves the algorithm to TensorFlow, tf2_ring.py asks for the ring);
tf2_parameter_server.py does what TF1 did. The losses are the same; what is sent is not:
`measure.py` counts the bytes and the steps per second.
"""

from __future__ import annotations

from reference.scenario import (
    Alternative,
    Fault,
    Order,
    Run,
    Scenario,
    Topology,
)

_EXACT = "the same operations in the same order"

SCENARIO = Scenario(
    name="ring_versus_parameter_server",
    title="one synchronous training, by a parameter server and by ring all-reduce",
    steps=100,
    topology=Topology(ps=1, workers=2, order=Order.IN_STEP),
    runs=(
        Run("float32", dtype="float32", reason=_EXACT),
        Run("float64", dtype="float64", reason=_EXACT),
    ),
    alternatives=(
        Alternative(
            "ring",
            "tf2_ring.py",
            "a program whose MultiWorkerMirroredStrategy is told to use the ring",
            ("float32", "float64"),
            Topology(ps=0, workers=2),
        ),
        Alternative(
            "parameter server",
            "tf2_parameter_server.py",
            "a program that adds the gradients up on a parameter server, as "
            "SyncReplicasOptimizer did",
            ("float32", "float64"),
            Topology(ps=1, workers=2),
        ),
    ),
    faults=(
        Fault(
            "sum instead of mean",
            "float32",
            "replicas.average(gradients)",
            "gradients",
            steps=20,
        ),
        Fault(
            "one worker's gradients",
            "float64",
            "replicas.average(gradients)",
            "[g if FLAGS.task_index == 0 else 0 * g for g in gradients]",
            steps=20,
        ),
        Fault(
            "every worker the same examples",
            "float64",
            "FLAGS.seed + 1 + FLAGS.task_index",
            "FLAGS.seed + 1",
            steps=20,
        ),
    ),
    proves=("roles:tf.train.SyncReplicasOptimizer",),
)
