"""Codes M1xx: summaries and metrics."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "M110",
        "summary or summary writer",
        "TensorFlow collects the summaries while it traces a step, and the chief writes them in TensorFlow 1's event format. `tf.summary.FileWriter` becomes `tf.compat.v1.summary.FileWriter`, made inside a graph because it raises an error in eager mode. If the program keeps a session, it becomes `training_session.SummaryWriter`.",
        why="In TensorFlow 1 one merged operation computed all summaries, and a session ran it. In TensorFlow 2 there is no such operation, so each step returns the values that its summaries show. Each step function has a graph of its own, so there is no single graph to write.",
        promise="Both write the same event files. The tool does not write a graph that the program passes to the writer.",
    ),
    Code(
        "M120",
        "tf.metrics whose totals cannot be kept",
        "The program uses `tf.metrics` where the tool cannot carry the state over.",
        why="`tf.metrics` keeps its totals in local variables of a graph, and a session reads and resets them. If the tool does not recognise the training program, it does not know when that happens.",
        recipe="Use the metrics of `tf_keras.metrics`.",
    ),
    Code(
        "M122",
        "tf.metrics in a session program",
        "Streaming metrics now use `streaming_metrics.py`, a module that the tool writes beside the program. It calls TensorFlow 1's own functions on totals that are made once. Reading a value is a step without a batch, and an update is a step that counts one batch.",
        why="`tf.metrics` made its totals in the graph, once. A step function may be traced several times, and would make new totals in each trace. So they are made before the steps.",
        before="acc, acc_op = tf.metrics.accuracy(labels, predictions)\nsess.run(tf.local_variables_initializer())\nsess.run(acc_op, feed)\nsess.run(acc)",
        after="acc_metric = streaming_metrics.Metric(\n    replicas, tf.compat.v1.metrics.accuracy)\n...\nstreaming_metrics.initialize(streaming_metrics.variables(replicas))\nsess.run(compute_acc_op, x, y)\nsess.run(compute_acc)",
        promise="The values are those of TensorFlow 1. The local variables keep their names, so the program can reset them by name. They are not in checkpoints.",
        refused_when="The program has a cluster or towers (M120). It uses `mean_tensor`, collections of metrics or updates, or local variables of another kind. Or it keeps an update in a list, and fetches something else from that list.",
    ),
)
