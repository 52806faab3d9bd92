"""Exporters: what train_and_evaluate exports; of estimator_exports.py."""

# ruff: noqa: F401

try:
    from estimator_exports import BestExporter, Exporter, FinalExporter, LatestExporter
except ImportError:  # In a package.
    from ..estimator_exports import (
        BestExporter,
        Exporter,
        FinalExporter,
        LatestExporter,
    )
