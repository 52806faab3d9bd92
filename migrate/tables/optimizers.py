"""TF1's optimizers and schedules, and what replaces each with equal numerics.

`tf.compat.v1.train` optimizers are TF1's own kernels: in `strategy.run` they
differ from TF 1.15.5 by 0 in float64 and at most 1e-6 in float32, dense and
sparse, and their slots keep TF1's checkpoint names. Keras optimizers differ in
one or the other (epsilon, folded rates, duplicate indices), so they are used only
where compat.v1 has no class.
"""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class OptimizerRow:
    """One TF1 optimizer.

    Attributes:
      symbol: the TF1 symbol.
      target: the TF2 callable, "" where there is none.
      reason: why this target, or why none.
      accepts_schedule: whether `target` takes a callable learning rate; if not, a
        schedule is wrapped in the emitted `Rate`, which converts to a tensor.
      dense_only: equal only for dense gradients.
      scenario: the reference scenario that proves the row.
    """

    symbol: str
    target: str
    reason: str
    accepts_schedule: bool = True
    dense_only: bool = False
    scenario: str = "optimizers"


def _v1(name: str, accepts_schedule: bool = True) -> OptimizerRow:
    return OptimizerRow(
        f"tf.train.{name}",
        f"tf.compat.v1.train.{name}",
        "TF1's own kernel; same numerics and slot names",
        accepts_schedule=accepts_schedule,
    )


_ROWS = (
    _v1("GradientDescentOptimizer"),
    _v1("MomentumOptimizer"),
    _v1("AdagradOptimizer"),
    _v1("AdadeltaOptimizer"),
    _v1("AdamOptimizer"),
    _v1("RMSPropOptimizer"),
    # These raise TypeError for a callable rate (measured on 2.15.1 and 2.21).
    _v1("FtrlOptimizer", accepts_schedule=False),
    _v1("ProximalGradientDescentOptimizer", accepts_schedule=False),
    _v1("ProximalAdagradOptimizer", accepts_schedule=False),
    _v1("AdagradDAOptimizer", accepts_schedule=False),
    OptimizerRow(
        "tf.contrib.opt.LazyAdamOptimizer",
        "tf.compat.v1.train.AdamOptimizer",
        "equal for dense gradients; for sparse ones LazyAdam skips untouched rows "
        "(off by .063), so a program with embedding lookups is refused",
        dense_only=True,
    ),
    OptimizerRow(
        "tf.contrib.opt.AdaMaxOptimizer", "", "no TF2 class with TF1's sparse numerics"
    ),
    OptimizerRow(
        "tf.contrib.opt.NadamOptimizer", "", "Keras' Nadam is another algorithm"
    ),
    OptimizerRow(
        "tf.contrib.opt.AdamWOptimizer",
        "",
        "Keras' AdamW scales the decay by the learning rate",
    ),
    OptimizerRow(
        "tf.contrib.opt.MomentumWOptimizer", "", "no TF2 class decays weights this way"
    ),
    OptimizerRow(
        "tf.contrib.opt.MovingAverageOptimizer", "", "no TF2 class keeps its shadows"
    ),
    OptimizerRow("tf.contrib.opt.LARSOptimizer", "", "no TF2 class"),
)

OPTIMIZERS: dict[str, OptimizerRow] = {row.symbol: row for row in _ROWS}

# tf.compat.v1's schedules compute TF1's formula; in eager mode they return a
# callable, which compat.v1 optimizers evaluate at every update.
SCHEDULES: frozenset[str] = frozenset(
    f"tf.train.{name}"
    for name in (
        "exponential_decay",
        "natural_exp_decay",
        "inverse_time_decay",
        "polynomial_decay",
        "piecewise_constant",
        "piecewise_constant_decay",
        "cosine_decay",
        "cosine_decay_restarts",
        "linear_cosine_decay",
        "noisy_linear_cosine_decay",
    )
)
