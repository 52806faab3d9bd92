"""Model parallelism by hand: every variable and every layer is pinned to a task.

The trace says besides values where they were: `stored_by` is the parameter server of each
layer's weights, `computed_by` the worker that computed its product, `gradients_by` the
one that computed the gradient of its weights, all as the runtime reports them. TF1 reads
that from the session's trace of a step, TF2 from the tensors.
"""

from __future__ import annotations

from reference.scenario import Fault, Looser, Run, Scenario, Shape, Topology

_EXACT = "the same operations in the same order"
# Measured 1.1e-16, one ULP; the weights are equal to the last bit.
_SUMMED = Looser("*/loss", 1e-15, "float64 reductions add their terms in another order")

SCENARIO = Scenario(
    name="device_pinning",
    title="layers pinned to workers, their variables to parameter servers",
    steps=200,
    topology=Topology(ps=2, workers=2, shape=Shape.CLIENT),
    runs=(
        Run("float32", dtype="float32", reason=_EXACT),
        Run("float64", dtype="float64", reason=_EXACT, looser=(_SUMMED,)),
        Run("sgd", ("--momentum=0", "--learning_rate=0.1"), "float32", reason=_EXACT),
        Run(
            "one_of_each",
            dtype="float64",
            reason=_EXACT,
            looser=(_SUMMED,),
            topology=Topology(ps=1, workers=1, shape=Shape.CLIENT),
        ),
    ),
    faults=(
        Fault(
            "all layers on one worker",
            "float32",
            '"/job:worker/task:%d" % (i % num_workers)',
            '"/job:worker/task:%d" % 0',
        ),
        Fault(
            "all weights on one server",
            "float64",
            '"/job:ps/task:%d" % (i % num_ps)',
            '"/job:ps/task:%d" % 0',
        ),
        Fault(
            "all gradients on one worker",
            "sgd",
            "gradients = tf.compat.v1.gradients(\n"
            "        loss, weights, colocate_gradients_with_ops=True)",
            'with tf.device("/job:worker/task:0"):\n'
            "      gradients = tf.compat.v1.gradients(loss, weights)",
        ),
        Fault(
            "mean over all elements",
            "float64",
            "tf.reduce_mean(tf.reduce_sum(tf.square(layer - y), axis=1))",
            "tf.reduce_mean(tf.square(layer - y))",
            steps=20,
        ),
        Fault(
            "a layer's gradient lost",
            "sgd",
            "zip(gradients, weights)",
            "zip([0 * gradients[0]] + gradients[1:], weights)",
            steps=20,
        ),
        Fault(
            "momentum",
            "float32",
            "(FLAGS.learning_rate, FLAGS.momentum)",
            "(FLAGS.learning_rate, FLAGS.momentum, use_nesterov=True)",
            steps=20,
        ),
    ),
    refused="S108",
    refusal="it reads from the trace of a session's run which task computed each value. "
    "tf2.py connects to the same servers, and pins the same variables and layers. It reads "
    "the task from each tensor's device.",
)
