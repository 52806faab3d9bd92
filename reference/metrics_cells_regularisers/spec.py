"""Declares the scenario of refused metrics, regularisers and a scope's initializer.

tf2.py does by hand what the refusals recommend, and equals TF1.
"""

from __future__ import annotations

from reference.scenario import Fault, Looser, Run, Scenario, Topology

_METRICS = (
    # Measured 1.2e-7, 6e-8, 4.5e-8.
    *(
        Looser(
            f"*/metric/{name}", 5e-7, "metrics are float32, added up in another order"
        )
        for name in ("auc", "mean", "mean_squared_error")
    ),
    *(
        Looser(f"*/metric/{name}", 0.0, "counts of examples are exact")
        for name in ("accuracy", "precision", "recall")
    ),
)

SCENARIO = Scenario(
    name="metrics_cells_regularisers",
    title="tf.metrics, recurrent cells and regularisers, migrated by hand",
    steps=120,
    topology=Topology(ps=1, workers=1),
    runs=(
        Run(
            "float32",
            tolerance=2e-6,
            reason="Keras multiplies the inputs and the state in two products, and TensorFlow 1 "
            "multiplies both in one: a few ULPs of the gates in each step",
            looser=_METRICS,
        ),
        Run(
            "float64",
            dtype="float64",
            tolerance=1e-13,
            reason="Keras multiplies the inputs and the state in two products, and TensorFlow 1 "
            "multiplies both in one",
            looser=_METRICS,
        ),
    ),
    faults=(
        Fault(
            "order of the LSTM's gates",
            "float64",
            "LSTM_GATES = [0, 2, 1, 3]",
            "LSTM_GATES = [0, 1, 2, 3]",
            steps=12,
        ),
        Fault(
            "order of the GRU's gates",
            "float64",
            "GRU_GATES = [1, 0, 2]",
            "GRU_GATES = [0, 1, 2]",
            steps=12,
        ),
        Fault(
            "forget bias",
            "float32",
            "unit_forget_bias=True",
            "unit_forget_bias=False",
            steps=12,
        ),
        Fault(
            "bias of the GRU's gates",
            "float32",
            "[1.0] * 2 * UNITS",
            "[0.0] * 2 * UNITS",
            steps=12,
        ),
        Fault(
            "Keras's l2 of the same scale",
            "float64",
            "0.05 * tf.nn.l2_loss(",
            "tf_keras.regularizers.L2(0.05)(",
            steps=12,
        ),
        Fault(
            "penalty left out",
            "float32",
            "loss = cross_entropy + penalty",
            "loss = cross_entropy",
            steps=12,
        ),
        Fault(
            "metrics of one batch",
            "float32",
            '        for name in ("accuracy"',
            "        for metric in metrics.values():\n"
            "          metric.reset_state()\n"
            '        for name in ("accuracy"',
            steps=12,
        ),
        Fault(
            "thresholds of auc",
            "float32",
            "num_thresholds=200",
            "num_thresholds=50",
            steps=12,
        ),
    ),
    refused="V103",
    refusal="it gives a variable scope's initializer to recurrent cells (V103), it collects a "
    "regulariser (V103, N105), and it uses tf.metrics in a cluster (M120). tf2.py has "
    "tf_keras.layers.LSTM and GRU with TF1's gates, adds the penalty to the loss, and has "
    "tf_keras.metrics in the worker's loop.",
    proves=("semantics:tf.metrics",),
    no_compat="tf.contrib and tf.nn.rnn_cell",
)
