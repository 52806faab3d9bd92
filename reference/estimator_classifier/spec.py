"""A convolutional classifier: layers, moving averages, dropout, streaming metrics."""

from __future__ import annotations

from reference.scenario import SINGLE, Alternative, Fault, Looser, Run, Scenario

_ESTIMATOR = "tf2_estimator.py"
_SOFTMAX = "exp differs by one ULP, and a convolution's gradient sums in another order"
_FACTOR = "Keras rounds a regulariser's factor to float32, also in a float64 model"
_RUNS = tuple(
    Run(
        optimizer if dtype == "float32" else f"{optimizer}_{dtype}",
        (f"--optimizer={optimizer}",),
        dtype,
        tolerance,
        _SOFTMAX if dtype == "float32" else _FACTOR,
        looser=(
            Looser(
                "*/eval/accuracy",
                0.0,
                "the metric counts examples, so it must be equal",
            ),
            Looser(
                "*/eval/recall_0",
                0.0,
                "the metric counts examples, so it must be equal",
            ),
            Looser(
                "*/eval/per_class",
                0.0,
                "the metric counts examples, so it must be equal",
            ),
            Looser("*/classes", 0.0, "a class number must be equal"),
        ),
    )
    for optimizer, dtype, tolerance in (
        ("sgd", "float32", 2e-6),
        ("momentum", "float32", 1e-5),
        # 1.24e-5 on an AMD EPYC, 2.1e-5 on an Intel Xeon with AVX-512: 348 ULPs of 0.7 after 26
        # steps that divide by roots of small squares.
        ("adam", "float32", 5e-5),
        ("momentum", "float64", 1e-8),
    )
)

SCENARIO = Scenario(
    name="estimator_classifier",
    title="an Estimator of layers: train, evaluate, predict, export",
    steps=110,
    topology=SINGLE,
    checkpoint=True,
    no_compat="TensorFlow 2.16 and later have no tf.estimator",
    runs=_RUNS,
    faults=(
        Fault(
            "rate decays a step early",
            "momentum",
            "exponential_decay(0.05, step, 20",
            "exponential_decay(0.05, step + 1, 20",
        ),
        Fault(
            "batch normalisation in training mode",
            "sgd",
            "logits = self(features, training=False)",
            "logits = self(features, training=True)",
        ),
        Fault(
            "regulariser halved",
            "sgd",
            "L2(l2=0.5 * 1e-3)",
            "L2(l2=0.25 * 1e-3)",
        ),
        Fault("another mask", "sgd", "seed=7", "seed=8"),
        Fault(
            "penalties left out",
            "sgd",
            "[cross_entropy, *self.losses]",
            "[cross_entropy]",
        ),
        Fault(
            "masks begin anew after an evaluation",
            "momentum",
            "drawn=not checkpoint_path",
            "drawn=True",
            file="estimator_loop/estimator.py",
            program=_ESTIMATOR,
        ),
        Fault(
            "averages too slow",
            "momentum",
            "momentum=0.9,\n",
            "momentum=0.91,\n",
        ),
        Fault(
            "epsilon",
            "adam",
            '"adam": tf.compat.v1.train.AdamOptimizer',
            '"adam": lambda r: tf.compat.v1.train.AdamOptimizer(r, epsilon=1e-4)',
        ),
    ),
    alternatives=(
        Alternative(
            "estimator",
            "tf2_estimator.py",
            "the migration with `--estimators estimator`",
            ("sgd", "momentum"),
            estimators="estimator",
        ),
    ),
)
