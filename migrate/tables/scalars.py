"""Lists the functions of TensorFlow 1 whose result is one number of a floating type.

A run returns such a result as a `np.float32`. Measured with NumPy 1.18.5, which TensorFlow
1.15.5 comes with: `np.float32(0.1) / 3`, `0.0 + np.float32(0.1)` and `sum([np.float32(0.1)])`
are computed in float64, and `np.float32(0.7) < 0.7` compares in float64. NumPy 2 does all of
it in float32. The number of `.item()` gives in all versions what NumPy 1 gave.
"""

from __future__ import annotations

# Functions that give one number if they get no axis: the axis' names and position.
REDUCES: dict[str, tuple[tuple[str, ...], int]] = {
    f"tf.{module}reduce_{name}": (("axis", "reduction_indices"), 1)
    for module in ("", "math.")
    for name in ("mean", "sum", "max", "min", "prod", "logsumexp")
}
# The argument of these that keeps the dimensions.
KEEPS = ("keepdims", "keep_dims")

# Functions that give one number. A loss gives one unless it is told how to reduce.
NUMBERS = frozenset(
    {
        "tf.nn.l2_loss",
        *(
            f"tf.losses.{name}"
            for name in (
                *("absolute_difference", "cosine_distance", "hinge_loss"),
                *("huber_loss", "log_loss", "mean_squared_error"),
                *("sigmoid_cross_entropy", "softmax_cross_entropy"),
                *("sparse_softmax_cross_entropy", "get_total_loss"),
            )
        ),
    }
)
REDUCTION = "reduction"

# Functions of numbers that give one number.
OF_NUMBERS = frozenset(
    f"tf.{name}"
    for name in (
        *("add", "subtract", "multiply", "divide", "div", "truediv", "negative"),
        *("sqrt", "square", "exp", "log", "abs", "pow", "maximum", "minimum"),
        *("math.add", "math.subtract", "math.multiply", "math.divide", "math.sqrt"),
        *("math.square", "math.exp", "math.log", "math.abs", "identity"),
    )
)
