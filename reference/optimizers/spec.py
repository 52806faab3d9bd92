"""Every optimizer and schedule of tf.train, dense and sparse."""

from __future__ import annotations

from reference.scenario import Fault, Looser, Run, Scenario, Topology

# Measured 7.5e-9 in the migration, 1.1e-8 (3 ULP of 0.034) on tf.compat.v1's graph.
_SCHEDULES = Looser(
    "*/rate/*", 3e-8, "Eigen's cos and pow differ by a few ULPs of a rate below 0.1"
)
_EXACT = tuple(
    Looser(pattern, 0.0, "the same additions and products in the same order")
    for optimizer in ("sgd", "momentum", "nesterov", "proximal", "adagrad_da")
    for pattern in (f"*/loss/{optimizer}", f"*/final/{optimizer}/*")
)
_POWER = tuple(
    Looser(
        pattern,
        1e-14,
        "if learning_rate_power is not -0.5, the update uses pow, which differs by one ULP",
    )
    for pattern in ("*/loss/shrinking", "*/final/shrinking/*")
)


SCENARIO = Scenario(
    name="optimizers",
    title="tf.train's optimizers and schedules, dense and sparse",
    steps=120,
    topology=Topology(ps=1, workers=1),
    runs=(
        Run(
            "float32",
            dtype="float32",
            tolerance=1e-6,
            reason="TensorFlow 2's Eigen rounds square roots and divisions differently: a few "
            "ULPs of losses of 2 and of accumulators of 3",
            looser=(_SCHEDULES, *_EXACT),
        ),
        Run(
            "float64",
            dtype="float64",
            reason="the same operations in the same order; only the rates are float32",
            looser=(_SCHEDULES, *_POWER),
        ),
    ),
    # Every optimizer and schedule has a control of its own in its test, which plants
    # many in one program.
    faults=(
        Fault(
            "epsilon",
            "float64",
            "AdamOptimizer(cosine, beta2=0.99)",
            "AdamOptimizer(cosine, beta2=0.99, epsilon=1e-7)",
            steps=12,
        ),
        Fault(
            "off by one",
            "float32",
            "exponential_decay(0.1, global_step, 10, 0.9)",
            "exponential_decay(0.1, global_step + 1, 10, 0.9)",
            steps=12,
        ),
    ),
    proves=(
        *(
            f"optimizers:tf.train.{name}Optimizer"
            for name in (
                "GradientDescent",
                "Momentum",
                "Adagrad",
                "Adadelta",
                "Adam",
                "RMSProp",
                "Ftrl",
                "ProximalGradientDescent",
                "ProximalAdagrad",
                "AdagradDA",
            )
        ),
        *(
            f"schedules:tf.train.{name}"
            for name in (
                "exponential_decay",
                "natural_exp_decay",
                "inverse_time_decay",
                "polynomial_decay",
                "piecewise_constant",
                "cosine_decay",
                "cosine_decay_restarts",
                "linear_cosine_decay",
                "noisy_linear_cosine_decay",
            )
        ),
    ),
)
