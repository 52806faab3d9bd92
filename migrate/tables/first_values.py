"""Maps functions that make the first value of a variable to the matching initializers.

Reviewed against the signatures of TensorFlow 1.15.5: `tf.truncated_normal(shape, seed=1)`
and `tf.truncated_normal_initializer(seed=1)` run one kernel with the same arguments.
"""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class FirstValue:
    """A function of a shape.

    Attributes:
      parameters: in order.
      initializer: below `tf`; takes the others by the same names.
      of_floats: whether its number has to be a float, for it decides the type.
    """

    parameters: tuple[str, ...]
    initializer: str
    of_floats: bool = False


_NORMAL = ("shape", "mean", "stddev", "dtype", "seed", "name")

FIRST_VALUES: dict[str, FirstValue] = {
    "tf.zeros": FirstValue(("shape", "dtype", "name"), "zeros_initializer"),
    "tf.ones": FirstValue(("shape", "dtype", "name"), "ones_initializer"),
    "tf.constant": FirstValue(
        ("value", "dtype", "shape", "name"), "constant_initializer", True
    ),
    "tf.truncated_normal": FirstValue(_NORMAL, "truncated_normal_initializer"),
    "tf.random_normal": FirstValue(_NORMAL, "random_normal_initializer"),
    "tf.random_uniform": FirstValue(
        ("shape", "minval", "maxval", "dtype", "seed", "name"),
        "random_uniform_initializer",
    ),
}
