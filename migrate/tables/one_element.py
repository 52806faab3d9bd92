"""Lists the uses of an array of one element as a number, and the functions that make one.

Measured with NumPy 1.18.5, which TensorFlow 1.15.5 comes with, and with 2.4.6: `float(w)`,
`"%f" % w` and `math.sqrt(w)` of an array of shape [1] or [1, 1] give its number, and raise
TypeError. `"%s" % w`, `bool(w)` and `"{}".format(w)` are alike in both, and
`"{:.3f}".format(w)` and `round(w)` raise in both.
"""

from __future__ import annotations

# Built-in functions, and conversions of `%`, that ask an object for its number.
NUMBERS = frozenset({"complex", "float", "int"})
CONVERSIONS = frozenset("diueEfFgG")
# Functions whose further arguments are formatted into the first.
LOGS = ("logging.", "absl.logging.", "tensorflow.logging.")

# Functions -> name and position of the argument that is the shape of the result.
OF_SHAPE: dict[str, tuple[str, int]] = {
    "tf.get_variable": ("shape", 1),
    "tf.placeholder": ("shape", 1),
    "tf.zeros": ("shape", 0),
    "tf.ones": ("shape", 0),
    "tf.random_normal": ("shape", 0),
    "tf.random_uniform": ("shape", 0),
    "tf.truncated_normal": ("shape", 0),
    "tf.random.normal": ("shape", 0),
    "tf.random.uniform": ("shape", 0),
    "tf.random.truncated_normal": ("shape", 0),
    "tf.fill": ("dims", 0),
    "tf.constant": ("shape", 2),
    "tf.reshape": ("shape", 1),
    "numpy.zeros": ("shape", 0),
    "numpy.ones": ("shape", 0),
    "numpy.full": ("shape", 0),
    "numpy.random.normal": ("size", 2),
    "numpy.random.uniform": ("size", 2),
}
PRODUCTS = frozenset({"tf.matmul", "tf.linalg.matmul"})
# Functions whose result has the larger of their first two arguments, for each dimension.
BROADCASTS = frozenset(
    f"tf.{module}{name}"
    for module in ("", "math.")
    for name in (
        *("add", "subtract", "multiply", "divide", "truediv"),
        *("maximum", "minimum", "pow", "squared_difference"),
    )
) | {"tf.div", "tf.realdiv"}
SIZES_APART = frozenset({"numpy.random.rand", "numpy.random.randn"})
# Functions whose result has the shape of their first argument.
OF_VALUE = frozenset(
    {"tf.Variable", "tf.constant", "tf.identity", "tf.convert_to_tensor"}
    | {"tf.abs", "tf.exp", "tf.log", "tf.negative", "tf.sigmoid", "tf.sqrt"}
    | {"tf.square", "tf.tanh", "tf.nn.relu", "tf.nn.sigmoid", "tf.nn.tanh", "tf.cast"}
    | {"numpy.array", "numpy.asarray", "numpy.float32", "numpy.float64"}
)
