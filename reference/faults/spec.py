"""Asynchronous training whose processes are killed; what is recorded is undisturbed.

Every step trains on a batch of its own, chosen by its place in the whole training, so
that a training that was interrupted and went on has the same weights at the end as one
that was not. tests/reference/test_faults.py kills the processes.
"""

from __future__ import annotations

from reference.scenario import Fault, Order, Run, Scenario, Topology

SCENARIO = Scenario(
    name="faults",
    title="asynchronous training; other tests kill its processes",
    steps=120,
    topology=Topology(ps=1, workers=2, order=Order.TURNS),
    runs=(
        Run(
            "undisturbed_float32",
            dtype="float32",
            tolerance=1e-6,
            reason="TensorFlow 2's Eigen rounds tanh differently",
        ),
        Run(
            "undisturbed_float64",
            dtype="float64",
            tolerance=1e-14,
            # Measured 2.8e-16.
            reason="TensorFlow 2's Eigen rounds tanh differently, by one ULP in every step",
        ),
    ),
    faults=(
        Fault("batches", "undisturbed_float64", "first_batch + ", "1 + ", steps=50),
        Fault(
            "step size",
            "undisturbed_float64",
            "GradientDescentOptimizer(0.0625)",
            "GradientDescentOptimizer(0.0624)",
            steps=50,
        ),
    ),
    checkpoint=True,
)
