"""Every loss of tf.losses with weights that are partly zero, and layers of tf.layers.

What the tool refuses of this family (tf.metrics, recurrent cells, regularisers that are
collected) is in `metrics_cells_regularisers`.
"""

from __future__ import annotations

from reference.scenario import Fault, Looser, Run, Scenario, Topology

# tf.layers' fused batch normalisation is for float32 alone, so the images and what is
# made of them are float32 in both runs. Measured 4.3e-6 (9 ULPs of 6.4), 1.2e-6 (5 ULPs
# of 3.4), 1.2e-7 (2 ULPs of the weights).
_FUSED = (
    Looser(
        "*/final/bn/moving_variance",
        1e-5,
        "the fused kernel adds the 768 squares of a channel in another order: a few ULPs "
        "of a value of 6, and the moving average keeps the difference",
    ),
    Looser(
        "*/evaluated/scores",
        5e-6,
        "the scores are divided by the root of that moving variance: a few ULPs of a value of 3",
    ),
)
_CONVOLUTION = tuple(
    Looser(
        pattern,
        1e-6,
        "depends on the float32 results of the fused kernel: at most 2 ULPs",
    )
    for pattern in (
        "*/loss/convolution",
        *(f"*/final/{layer}/*" for layer in ("bn", "conv", "up", "strided", "scores")),
    )
)
_FLOAT64 = (
    *_FUSED,
    *_CONVOLUTION,
    *(
        Looser(
            pattern,
            1e-6,
            "tf.losses.log_loss computes in float32, whose log differs by one ULP",
        )
        for pattern in ("*/loss/log_loss", "*/final/log/*")
    ),
    *(
        Looser(
            pattern,
            1e-13,
            "batch normalisation and biases add the rows of a batch in another order",
        )
        for pattern in (
            "*/loss/dense",
            "*/evaluated/logits",
            *(f"*/final/{layer}/*" for layer in ("hidden", "normal", "logits")),
        )
    ),
)

SCENARIO = Scenario(
    name="losses_metrics_layers",
    title="tf.losses with weights of zero, tf.layers with moving statistics and dropout",
    steps=120,
    topology=Topology(ps=1, workers=1),
    runs=(
        Run(
            "float32",
            tolerance=1e-6,
            reason="TensorFlow 2's Eigen rounds log, exp, tanh and square roots differently",
            looser=(
                *_FUSED,
                Looser(
                    "*/loss/dense",
                    5e-6,
                    "depends on that moving variance: a few ULPs of a loss of 9.6",
                ),
            ),
        ),
        Run(
            "float64",
            dtype="float64",
            reason="the same operations in the same order",
            looser=_FLOAT64,
        ),
    ),
    no_compat="tf.compat.v1.layers needs TF_USE_LEGACY_KERAS=1 since TensorFlow 2.16",
    # Every loss and every layer has a control of its own in tests/reference/
    # test_losses.py, which plants many in one program.
    faults=(
        Fault(
            "mean over the batch, not over the weights that are not zero",
            "float64",
            "mean_squared_error(y, squared_of(x), column)",
            "mean_squared_error(y, squared_of(x), column,\n"
            "            reduction=tf.compat.v1.losses.Reduction.SUM_OVER_BATCH_SIZE)",
            steps=12,
        ),
        Fault(
            "moving statistics not updated",
            "float32",
            "p = bn(p, training=training)",
            "p = bn(p, training=False)",
            steps=12,
        ),
        Fault(
            "Keras's momentum of batch normalisation",
            "float64",
            "momentum=0.9, epsilon=0.01",
            "epsilon=0.01",
            steps=12,
        ),
        Fault("another seed of dropout", "float64", "seed=11", "seed=12", steps=12),
        Fault(
            "layers in the dtype of Keras",
            "float64",
            "h = hidden(x)",
            "h = tf.cast(hidden(tf.cast(x, tf.float32)), dtype)",
            steps=12,
        ),
    ),
    proves=(
        "semantics:tf.losses",
        "losses:tf.losses.Reduction",
        *(
            f"losses:tf.losses.{name}"
            for name in (
                "absolute_difference",
                "compute_weighted_loss",
                "cosine_distance",
                "hinge_loss",
                "huber_loss",
                "log_loss",
                "mean_pairwise_squared_error",
                "mean_squared_error",
                "sigmoid_cross_entropy",
                "softmax_cross_entropy",
                "sparse_softmax_cross_entropy",
            )
        ),
        *(
            f"layers:tf.layers.{name}"
            for name in (
                "dense",
                "conv1d",
                "conv2d",
                "conv3d",
                "conv2d_transpose",
                "conv3d_transpose",
                "batch_normalization",
                "dropout",
                "flatten",
                "max_pooling1d",
                "max_pooling2d",
                "max_pooling3d",
                "average_pooling1d",
                "average_pooling2d",
                "average_pooling3d",
            )
        ),
    ),
)
