"""What each finding code means; `tf1to2 rule CODE` prints it. One module per family."""

from __future__ import annotations

from migrate.codes import (
    clusters,
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

FAMILIES = {
    "C": "cluster and server",
    "D": "mistakes that are no matter of versions",
    "E": "files that cannot be read or written (E0), and Estimators (E1)",
    "G": "gates: a result that was not written",
    "H": "hooks",
    "I": "input",
    "K": "Estimators that become Keras models",
    "L": "layers and losses",
    "M": "summaries and metrics",
    "N": "programs not covered yet",
    "O": "optimizers and synchronisation",
    "P": "partitioners and embeddings",
    "S": "sessions and step functions",
    "T": "other symbols",
    "V": "variables and checkpoints",
}

ROWS = (
    *clusters.CODES,
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

__all__ = ["CODES", "FAMILIES", "ROWS", "Code"]
