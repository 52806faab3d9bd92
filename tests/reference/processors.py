"""Sets the tolerance on a processor that has no recordings."""

from __future__ import annotations

from reference import oracle
from reference.scenario import Run, Scenario

# TensorFlow 1.15.5 and 2.21 have other versions of Eigen, which may block a sum otherwise.
# On the processors of the recordings they do not. On another, both live, the momentum of
# `checkpoint_resume` was 2 ULPs apart after its steps, 3.7e-9.
_LAST_BITS = {"float32": 1e-6, "float64": 1e-12}


def least_tolerance(scenario: Scenario, run: Run) -> float:
    """Returns the least tolerance of a comparison with live TensorFlow 1.15.5."""
    return 0.0 if oracle.recorded_here(scenario, run) else _LAST_BITS[run.dtype]
