"""Explains each finding code, for `tf1to2 rule CODE`. One module per family."""

from __future__ import annotations

from migrate.codes import (
    clusters,
    eager,
    estimators,
    files,
    gates,
    hooks,
    input,
    keras_models,
    layers,
    metrics,
    mistakes,
    optimizers,
    partitioners,
    programs,
    sessions,
    symbols,
    towers,
    variables,
)
from migrate.codes.code import Code
from migrate.codes.merged import MERGED

FAMILIES = {
    "C": "cluster and server",
    "D": "common mistakes, and eager code on a cluster",
    "E": "files (E0) and Estimators (E1)",
    "G": "checks of the result",
    "H": "hooks",
    "I": "input",
    "K": "Estimators that become Keras models",
    "L": "layers and losses",
    "M": "summaries and metrics",
    "N": "whole programs, towers and sessions",
    "O": "optimizers and synchronisation",
    "P": "partitioners and embeddings",
    "S": "sessions and step functions",
    "T": "other symbols",
    "V": "variables and checkpoints",
}

ROWS = (
    *clusters.CODES,
    *eager.CODES,
    *estimators.CODES,
    *files.CODES,
    *gates.CODES,
    *hooks.CODES,
    *input.CODES,
    *keras_models.CODES,
    *layers.CODES,
    *metrics.CODES,
    *mistakes.CODES,
    *optimizers.CODES,
    *partitioners.CODES,
    *programs.CODES,
    *sessions.CODES,
    *symbols.CODES,
    *towers.CODES,
    *variables.CODES,
)
CODES: dict[str, Code] = {row.id: row for row in ROWS}

__all__ = ["CODES", "FAMILIES", "MERGED", "ROWS", "Code"]
