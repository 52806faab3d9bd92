"""Model parallelism by hand, migrated: variables and operations stay on their tasks.

`stored_by` is the parameter server of each layer's weights, as the runtime reports it.
"""

from __future__ import annotations

from reference.scenario import Fault, Looser, Run, Scenario, Shape, Topology

_EXACT = "the same operations in the same order"

SCENARIO = Scenario(
    name="pinned_client",
    title="a network with one half on each of two workers, run by a client",
    steps=200,
    topology=Topology(ps=2, workers=2, shape=Shape.CLIENT),
    runs=(
        Run("float32", dtype="float32", reason=_EXACT),
        Run(
            "float64",
            dtype="float64",
            reason=_EXACT,
            looser=(
                Looser(
                    "*/loss",
                    1e-15,
                    "float64 reductions add their terms in another order",
                ),
            ),
        ),
    ),
    faults=(
        Fault(
            "all weights on one server",
            "float64",
            '"/job:ps/task:%d" % (num_ps - 1)',
            '"/job:ps/task:%d" % 0',
        ),
        Fault(
            "momentum",
            "float32",
            "(FLAGS.learning_rate, FLAGS.momentum)",
            "(FLAGS.learning_rate, FLAGS.momentum, use_nesterov=True)",
            steps=20,
        ),
        Fault(
            "a layer's weights taken for another's",
            "float32",
            "tf.matmul(hidden, w2)",
            "tf.matmul(hidden, w1[:, :8])",
            steps=20,
        ),
    ),
)
