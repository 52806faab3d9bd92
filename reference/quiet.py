"""Imports TensorFlow without what it prints then, whatever its log level is."""

from __future__ import annotations

import importlib
import os
from typing import Any


def import_tensorflow() -> Any:
    """TensorFlow; what it says of processors and drivers while it starts is dropped."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    errors = os.dup(2)
    with open(os.devnull, "wb") as nothing:
        os.dup2(nothing.fileno(), 2)
    try:
        tensorflow = importlib.import_module("tensorflow")
        # Devices are looked for at the first call, and told of, too.
        tensorflow.config.list_physical_devices()
    finally:
        os.dup2(errors, 2)
        os.close(errors)
    return tensorflow
