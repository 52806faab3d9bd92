"""Lists the functions that give a tensor exactly the name in their `name` argument."""

from __future__ import annotations

# Functions whose result is the operation of that name. A name of `tf.math` is also one
# of `tf`.
_MATH = """abs add add_n argmax argmin divide equal exp log maximum minimum multiply negative
    reduce_max reduce_mean reduce_min reduce_sum sigmoid sqrt square squared_difference
    subtract tanh truediv"""
_ARRAYS = "cast expand_dims identity matmul reshape squeeze"
NAMED = frozenset(
    {
        *(f"tf.{name}" for name in (*_MATH.split(), *_ARRAYS.split())),
        *(f"tf.math.{name}" for name in _MATH.split()),
        *(f"tf.nn.{name}" for name in "l2_loss relu sigmoid softmax tanh".split()),
    }
)
# Makers of variables -> the position of the name among their arguments.
VARIABLES: dict[str, int | None] = {"tf.get_variable": 0, "tf.Variable": None}
# Functions with which TF1 names the step by itself.
GLOBAL_STEP = frozenset(
    {"tf.train.create_global_step", "tf.train.get_or_create_global_step"}
)
# Context managers that change no name.
AROUND = frozenset(
    {
        "tf.control_dependencies",
        "tf.device",
        "tf.train.replica_device_setter",
    }
)
# Modules of the functions whose name an operation may have if the call gives none.
FUNCTIONS = ("tf", "tf.math", "tf.nn", "tf.linalg", "tf.image", "tf.losses")
# Classes that take names of tensors.
ASK = frozenset(
    {
        "tf.train.LoggingTensorHook",
        "tf.estimator.LoggingTensorHook",
        "tf.train.SessionRunArgs",
        "tf.estimator.SessionRunArgs",
    }
)
# The method of a graph that takes names of tensors.
BY_GRAPH = "get_tensor_by_name"
# Packages that add nothing to a graph, besides Python's own and TensorFlow itself.
HOST = frozenset(
    {
        "absl",
        "matplotlib",
        "numpy",
        "pandas",
        "scipy",
        "six",
        "sklearn",
        "tensorflow",
        "tqdm",
    }
)
