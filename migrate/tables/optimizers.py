"""TF1's optimizers and schedules, and what replaces each with equal numerics.

`tf.compat.v1.train` optimizers are TF1's own kernels: in `strategy.run` they
differ from TF 1.15.5 by 0 in float64 and at most 1e-6 in float32, dense and
sparse, and their slots keep TF1's checkpoint names. Keras optimizers differ in
one or the other (epsilon, folded rates, duplicate indices), so none is used.

tf.contrib.opt's are gone from TF2. `contrib_optimizers`, written beside the program, has
those whose update is a formula; `tests/support/test_contrib_optimizers.py` compares them
with TF 1.15.5's (100 updates: 0 in float64, at most 2.4e-7 in float32).
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
      recipe: what to do where there is no target.
      code: what the findings are called.
      scenario: the reference scenario that proves the row, "" if none does.
    """

    symbol: str
    target: str
    reason: str
    accepts_schedule: bool = True
    recipe: str = ""
    code: str = "O101"
    scenario: str = "optimizers"


def _make_v1_row(name: str, accepts_schedule: bool = True) -> OptimizerRow:
    return OptimizerRow(
        f"tf.train.{name}",
        f"tf.compat.v1.train.{name}",
        "TF1's own kernel; same numerics and slot names",
        accepts_schedule=accepts_schedule,
    )


def _make_contrib_row(name: str) -> OptimizerRow:
    return OptimizerRow(
        f"tf.contrib.opt.{name}",
        f"contrib_optimizers.{name}",
        "the same update and slot names, in a module written beside the file",
        code="O101",
        scenario="",
    )


def _make_row_without(name: str, reason: str, recipe: str) -> OptimizerRow:
    symbol = f"tf.contrib.opt.{name}"
    return OptimizerRow(symbol, "", reason, recipe=recipe, code="O110", scenario="")


_PORT = (
    "Write its update as a subclass of tf.compat.v1.train.Optimizer, or choose "
    "another optimizer."
)

_ROWS = (
    _make_v1_row("GradientDescentOptimizer"),
    _make_v1_row("MomentumOptimizer"),
    _make_v1_row("AdagradOptimizer"),
    _make_v1_row("AdadeltaOptimizer"),
    _make_v1_row("AdamOptimizer"),
    _make_v1_row("RMSPropOptimizer"),
    # These raise TypeError for a callable rate (measured on 2.15.1 and 2.21).
    _make_v1_row("FtrlOptimizer", accepts_schedule=False),
    _make_v1_row("ProximalGradientDescentOptimizer", accepts_schedule=False),
    _make_v1_row("ProximalAdagradOptimizer", accepts_schedule=False),
    _make_v1_row("AdagradDAOptimizer", accepts_schedule=False),
    _make_contrib_row("LazyAdamOptimizer"),
    _make_contrib_row("AdaMaxOptimizer"),
    _make_contrib_row("NadamOptimizer"),
    _make_contrib_row("AdamWOptimizer"),
    _make_contrib_row("MomentumWOptimizer"),
    _make_contrib_row("LARSOptimizer"),
    _make_row_without(
        "MovingAverageOptimizer",
        "its checkpoints contain averages in place of the variables, and nothing "
        "in TensorFlow 2 does that",
        "Train with the optimizer inside it. For the evaluation, keep a "
        "tf.train.ExponentialMovingAverage of the variables.",
    ),
    _make_row_without(
        "ShampooOptimizer", "its preconditioners have no equal in TensorFlow 2", _PORT
    ),
    _make_row_without(
        "GGTOptimizer", "its gradient window has no equal in TensorFlow 2", _PORT
    ),
    _make_row_without(
        "AdamGSOptimizer", "no TF2 optimizer counts its steps this way", _PORT
    ),
    _make_row_without(
        "LazyAdamGSOptimizer", "no TF2 optimizer counts its steps this way", _PORT
    ),
    _make_row_without("AddSignOptimizer", "no TF2 optimizer has this update", _PORT),
    _make_row_without("PowerSignOptimizer", "no TF2 optimizer has this update", _PORT),
    _make_row_without("RegAdagradOptimizer", "no TF2 optimizer has this update", _PORT),
    _make_row_without(
        "VariableClippingOptimizer",
        "no TF2 optimizer clips variables after the update",
        "Assign tf.clip_by_norm of the variables after apply_gradients.",
    ),
    _make_row_without(
        "DropStaleGradientOptimizer",
        "a parameter server of TF2 does not know how old a gradient is",
        "Train without it, or train synchronously.",
    ),
    _make_row_without(
        "DelayCompensatedGradientDescentOptimizer",
        "a parameter server of TF2 does not know how old a gradient is",
        "Train without it, or train synchronously.",
    ),
    *(
        _make_row_without(
            f"{name}Optimizer",
            "between exchanges its workers train models of their own, but the "
            "replicas of a strategy share one model",
            "Train with the optimizer inside it, asynchronously or synchronously.",
        )
        for name in ("ElasticAverage", "ModelAverage", "AGN")
    ),
)

OPTIMIZERS: dict[str, OptimizerRow] = {row.symbol: row for row in _ROWS}
# Those that have no variables; and those of which some belong to no variable of the model,
# as the powers of Adam's rates.
WITHOUT_STATE = frozenset({"tf.train.GradientDescentOptimizer"})
COUNTING: frozenset[str] = frozenset(
    f"tf.{name}Optimizer"
    for name in (
        *("train.Adam", "contrib.opt.LazyAdam", "contrib.opt.AdaMax"),
        *("contrib.opt.Nadam", "contrib.opt.AdamW"),
    )
)

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
