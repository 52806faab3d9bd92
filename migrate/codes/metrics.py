"""Codes M1xx: summaries and metrics."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "M110",
        "summary",
        "Summaries are collected while a step is traced and written by the chief, in TF1's event format.",
    ),
    Code(
        "M111",
        "summary writer",
        "training_session.SummaryWriter writes TF1's event files. A graph that the program "
        "gives it is not written: step functions have no single one.",
    ),
    Code(
        "M120",
        "metrics",
        "tf.metrics keep their state in a graph's local variables. Use tf_keras.metrics.",
    ),
    Code(
        "M122",
        "metrics of a session's program",
        "Streaming metrics are those of streaming_metrics.py, written beside the program: "
        "TF1's own functions on totals that are made once. Their value is a step that needs "
        "no batch, their update counts one.",
        before="acc, acc_op = tf.metrics.accuracy(labels, predictions)\n"
        "sess.run(tf.local_variables_initializer())\n"
        "sess.run(acc_op, feed)\n"
        "sess.run(acc)",
        after="acc_metric = streaming_metrics.Metric(\n"
        "    replicas, tf.compat.v1.metrics.accuracy)\n"
        "...\n"
        "streaming_metrics.initialize(streaming_metrics.variables(replicas))\n"
        "sess.run(compute_acc_op, x, y)\n"
        "sess.run(compute_acc)",
        promise="TF1's values and the names of its local variables, by which they may be "
        "reset. No checkpoint has them.",
        refused_when="There is a cluster or a tower (M120), `mean_tensor`, collections of "
        "metrics or updates, local variables of another kind, or an update that is kept in "
        "a list from which something else is fetched.",
    ),
    Code(
        "M123",
        "metric beside its update",
        "A metric's value and its update in one run. TF1 gave now the value before the "
        "update, now that after it, and where it divides totals also what neither is.",
    ),
    Code(
        "M121",
        "summary outside a step",
        "The summary is not part of a program that this version reads.",
    ),
)
