"""TensorFlow 1 with all its tables and functions registered."""

from __future__ import annotations

import functools
import importlib

from migrate.tfmodel import ops
from migrate.tfmodel.dispatch import TensorFlow

# Modules that register functions when they are imported.
_MODULES = (
    "collections_of",
    "constants",
    "contrib_layers",
    "control",
    "datasets",
    "gradients",
    "initializers",
    "layers",
    "losses",
    "metrics",
    "queues",
    "records",
    "recurrent",
    "regularizers",
    "saving",
    "scopes",
    "sequences",
    "sessions",
    "supervisors",
    "training",
    "variables",
)


@functools.cache
def tensorflow() -> TensorFlow:
    """The library, made once."""
    for name in _MODULES:
        importlib.import_module(f"migrate.tfmodel.{name}")
    ops.register()
    return TensorFlow()
