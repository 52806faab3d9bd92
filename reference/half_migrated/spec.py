"""A program migrated by half: eager code of Keras in TensorFlow 1's cluster and session.

No TensorFlow runs half.py, so it has no truth of its own. Its truth is tf1.py, what it was
before: the same cluster, data, initial weights, loss and updates, as a graph. Under genuine
TensorFlow 1.15.5 two workers take turns; the tool's migration of half.py must
give each worker the same losses.
"""

from __future__ import annotations

from reference.scenario import Fault, Order, Run, Scenario, Topology

# One ULP of a loss, measured 3.0e-8 and 1.1e-16; the weights do not depend on it.
_SUMMED = "the mean over a batch is added up in another order"

SCENARIO = Scenario(
    name="half_migrated",
    title="Keras and a GradientTape in a TensorFlow 1 cluster, asynchronous",
    steps=200,
    topology=Topology(ps=2, workers=2, order=Order.TURNS),
    half="half.py",
    runs=(
        Run("float32", (), "float32", 1e-7, _SUMMED),
        Run("float64", (), "float64", 1e-15, _SUMMED),
    ),
    faults=(
        Fault(
            "every worker has the chief's shard",
            "float32",
            "training_session.task_index(FLAGS.task_index)",
            "0",
            steps=20,
        ),
        Fault(
            "the loss of the first example",
            "float64",
            "tf.reduce_mean(loss_fn(y, model(x, training=True)))",
            "loss_fn(y, model(x, training=True))[0]",
            steps=20,
        ),
        Fault(
            "another rate",
            "float32",
            "SGD(FLAGS.learning_rate)",
            "SGD(0.99 * FLAGS.learning_rate)",
            steps=20,
        ),
    ),
)
