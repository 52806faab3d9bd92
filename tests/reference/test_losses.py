"""Each loss and each kind of layer of `reference/losses_metrics_layers` has a control.

The program trains all of them side by side, so many faults fit into one run: a fault
must show in the loss it is planted in, and in no other.
"""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Sequence

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from reference import oracle
from reference.compare import table
from reference.losses_metrics_layers.spec import SCENARIO
from reference.metrics_cells_regularisers.spec import SCENARIO as REFUSED


@dataclasses.dataclass(frozen=True)
class Planted:
    """A fault in tf2.py: the loss that it changes, and text of the program."""

    loss: str
    old: str
    new: str


_UNWEIGHTED = "tf.ones_like(column)"

# What a migration by name alone gets wrong: weights, reductions, defaults.
LOSSES = (
    Planted(
        "absolute_difference",
        "absolute_of(x), column)",
        f"absolute_of(x), {_UNWEIGHTED})",
    ),
    Planted("cosine_distance", "axis=1, weights=column", "axis=1"),
    Planted("hinge_loss", "one_hot, hinge_of(x)", "one_hot * 2 - 1, hinge_of(x)"),
    Planted("huber_loss", "column, delta=0.5", "column"),
    Planted("log_loss", "tf.sigmoid(log_of(x)), column", "tf.sigmoid(log_of(x))"),
    Planted(
        "mean_pairwise_squared_error",
        "mean_pairwise_squared_error(y, pairwise_of(x), column)",
        "mean_squared_error(y, pairwise_of(x), column)",
    ),
    Planted("mean_squared_error", "squared_of(x), column)", "squared_of(x))"),
    Planted(
        "sigmoid_cross_entropy",
        "sigmoid_of(x), column, label_smoothing=0.1",
        "sigmoid_of(x), column",
    ),
    Planted(
        "softmax_cross_entropy",
        "softmax_of(x), weight, label_smoothing=0.1",
        "softmax_of(x), weight, label_smoothing=0.11",
    ),
    Planted("sparse_softmax_cross_entropy", "sparse_of(x), weight)", "sparse_of(x))"),
    Planted(
        "compute_weighted_loss",
        "tf.square(weighted_of(x) - y), column)",
        "tf.square(weighted_of(x) - y), column, loss_collection=None,\n"
        "            reduction=tf.compat.v1.losses.Reduction.MEAN)",
    ),
    Planted("sum", "losses.Reduction.SUM)", "losses.Reduction.MEAN)"),
    Planted(
        "mean",
        "mean_of(x), column, reduction=tf.compat.v1.losses.Reduction.MEAN",
        "mean_of(x), column",
    ),
    Planted(
        "sum_over_batch_size",
        "column,\n            reduction=tf.compat.v1.losses.Reduction.SUM_OVER_BATCH_SIZE)",
        "column)",
    ),
    Planted("none", "unreduced_of(x), column,", "unreduced_of(x), 1.01 * column,"),
)
# Of the layers that one loss is made of, one fault at a time.
LAYERS = (
    (
        Planted("dense", "activation=tf.tanh", "activation=tf.nn.softsign"),
        Planted("convolution", 'kernel_size=3, padding="same"', "kernel_size=3"),
        Planted("sequence", "kernel_size=4, strides=2", "kernel_size=4"),
        Planted("volume", 'kernel_size=2, padding="same"', "kernel_size=2"),
    ),
    (
        Planted("dense", "epsilon=0.01", "epsilon=0.001"),
        Planted("convolution", ".MaxPooling2D(", ".AveragePooling2D("),
        Planted("sequence", ".MaxPooling1D(", ".AveragePooling1D("),
        Planted("volume", ".MaxPooling3D(", ".AveragePooling3D("),
    ),
    (
        Planted("dense", "rate=0.4, seed=11", "rate=0.6, seed=11"),
        Planted("convolution", ".AveragePooling2D(", ".MaxPooling2D("),
        Planted("sequence", ".AveragePooling1D(", ".MaxPooling1D("),
        Planted("volume", ".AveragePooling3D(", ".MaxPooling3D("),
    ),
    (
        Planted("dense", "units=CLASSES, use_bias=False", "units=CLASSES"),
        Planted(
            "convolution",
            "filters=3, kernel_size=2, strides=2,",
            "filters=3, kernel_size=2, strides=2, activation=tf.nn.relu,",
        ),
        Planted("sequence", ".Dense(CLASSES,", ".Dense(CLASSES, use_bias=False,"),
        Planted(
            "volume",
            "filters=2, kernel_size=2, strides=2,",
            "filters=2, kernel_size=2, strides=1,",
        ),
    ),
    (
        Planted("dense", "normal(h, training=training)", "normal(h, training=False)"),
        Planted(
            "convolution",
            "strides=(2, 1), dilation_rate=(1, 1), use_bias=False",
            "strides=(2, 1), dilation_rate=(1, 1)",
        ),
        Planted("sequence", 'strides=2, padding="same"', 'strides=2, padding="valid"'),
        Planted("volume", "conv3d(r)", "conv3d(r[..., ::-1])"),
    ),
)


def test_every_loss_has_a_control() -> None:
    trace = oracle.recorded(SCENARIO, SCENARIO.run("float64")).trace
    losses = {key.partition("/loss/")[2] for key in trace} - {""}
    assert {p.loss for p in (*LOSSES, *LAYERS[0])} == losses


@pytest.mark.parametrize("planted", [LOSSES, *LAYERS])
def test_each_fault_shows_where_it_is_planted_and_nowhere_else(
    planted: Sequence[Planted], tmp_path: pathlib.Path
) -> None:
    run = SCENARIO.run("float64")
    text = SCENARIO.migration.read_text()
    for fault in planted:
        # A layer is applied where the step trains and where it evaluates.
        assert text.count(fault.old) in (1, 2), fault
        text = text.replace(fault.old, fault.new)
    wrong = dataclasses.replace(SCENARIO, root=tmp_path)
    wrong.directory.mkdir()
    wrong.migration.write_text(text)
    found = oracle.steps_only(
        oracle.migrated(wrong, run, tmp_path / "work", {}, steps=12)
    )
    recording = oracle.recorded(SCENARIO, run).trace
    found = oracle.sampled(found, recording)
    # Also with the widest tolerance there is, of float32.
    least = oracle.ELSEWHERE["float32"]
    seen = {
        row.name.partition("/loss/")[2]
        for row in table(
            oracle.steps_only(recording, like=found),
            found,
            lambda key: max(least, run.tolerance_of(key)),
        )
        if not row.within
    }
    assert seen - {""} == {fault.loss for fault in planted}


def test_metrics_cells_and_regularisers_are_refused() -> None:
    """The first refusal hides the others, so the program is tried without it."""
    text = REFUSED.program.read_text()
    assert _refused(text) >= {("V103", "tf.layers.dense")}
    regulariser = "kernel_regularizer=tf.contrib.layers.l2_regularizer(0.05), "
    before, _, after = text.partition("      streamed.append(")
    text = before + after[after.index("      _, loss_value") :]
    assert regulariser in text
    text = text.replace(regulariser, "")
    refused = _refused(text)
    assert refused >= {
        *(
            ("M120", f"tf.metrics.{name}")
            for name in (
                "accuracy",
                "precision",
                "recall",
                "auc",
                "mean",
                "mean_squared_error",
            )
        ),
    }
    assert all(code in REFUSED.refusal for code, _ in refused)


def _refused(text: str) -> set[tuple[str, str]]:
    """Code and symbol of every refusal but those that follow from another."""
    return {
        (f.code, f.symbol)
        for f in migrate_text(text).findings
        if f.outcome is Outcome.REFUSED and f.code != "N100"
    }
