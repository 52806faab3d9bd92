"""Codes M1xx: summaries and metrics."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "M110",
        "summary or summary writer",
        "TensorFlow collects the summaries while it traces a step, and the chief writes them in TensorFlow 1's event format. `tf.summary.FileWriter` becomes `tf.compat.v1.summary.FileWriter`. The program makes it inside a graph, because it raises an error in eager mode. If the program keeps a session, the writer becomes `training_session.SummaryWriter`.",
        why="In TensorFlow 1 one merged operation computed all summaries, and a session ran it. In TensorFlow 2 there is no such operation, so each step returns the values that its summaries show. Each step function has a graph of its own, so there is no single graph to write.",
        promise="The event files have the same tags and numbers. They do not contain the graph that the original passed to the writer.",
    ),
    Code(
        "M120",
        "tf.metrics whose totals cannot be kept",
        "The program uses `tf.metrics` where the tool cannot carry the state over: with a cluster or towers, with `mean_tensor`, with collections of metrics or updates, or with local variables of another kind. Or a step computes how many totals a metric has. Or the program keeps an update in a list, and fetches something else from that list.",
        why="`tf.metrics` keeps its totals in local variables of a graph, and a session reads and resets them. If the tool does not recognise the training program, it does not know when that happens.",
        recipe="Use the metrics of `tf_keras.metrics`.",
    ),
)
