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
        "training_session.SummaryWriter writes TF1's event files.",
    ),
    Code(
        "M120",
        "metrics",
        "tf.metrics keep their state in a graph's local variables. Use tf_keras.metrics.",
    ),
    Code(
        "M121",
        "summary outside a step",
        "The summary is not part of a program that this version reads.",
    ),
)
