"""Decides which module paths are TensorFlow's, and gives each symbol one spelling."""

from __future__ import annotations

import functools

from migrate.tables import kept_names, private_names, symbols

# Private modules that TensorFlow 1.15.5 no longer has, and private modules that programs use
# as objects, each with its public prefix: (dotted path, canonical prefix). The generated table
# has all other private modules.
_PRIVATE_HOMES: tuple[tuple[str, str], ...] = (
    ("tensorflow.python.ops.partitioned_variables", "tf"),
    ("tensorflow.python.training.training", "tf.train"),
    ("tensorflow.python.training.device_setter", "tf.train"),
    ("tensorflow.python.training.monitored_session", "tf.train"),
    ("tensorflow.python.training.basic_session_run_hooks", "tf.train"),
    ("tensorflow.python.training.session_run_hook", "tf.train"),
    ("tensorflow.python.training.sync_replicas_optimizer", "tf.train"),
    ("tensorflow.python.training.server_lib", "tf.train"),
    ("tensorflow.python.ops.variable_scope", "tf"),
    ("tensorflow.python.ops.math_ops", "tf"),
    ("tensorflow.python.ops.array_ops", "tf"),
    ("tensorflow.python.ops.nn_ops", "tf.nn"),
    ("tensorflow.python.ops.init_ops", "tf"),
    ("tensorflow.python.framework.dtypes", "tf"),
    ("tensorflow.python.framework.ops", "tf"),
    ("tensorflow.python.framework.constant_op", "tf"),
    ("tensorflow.python.framework.errors", "tf.errors"),
    ("tensorflow.python.framework.tensor_shape", "tf"),
    ("tensorflow.python.framework.random_seed", "tf"),
    ("tensorflow.python.ops.clip_ops", "tf"),
    ("tensorflow.python.ops.control_flow_ops", "tf"),
    ("tensorflow.python.ops.embedding_ops", "tf.nn"),
    ("tensorflow.python.ops.gradients", "tf"),
    ("tensorflow.python.ops.image_ops", "tf.image"),
    ("tensorflow.python.ops.io_ops", "tf"),
    ("tensorflow.python.ops.nn", "tf.nn"),
    ("tensorflow.python.ops.random_ops", "tf"),
    ("tensorflow.python.ops.rnn_cell", "tf.nn.rnn_cell"),
    ("tensorflow.python.ops.rnn_cell_impl", "tf.nn.rnn_cell"),
    ("tensorflow.python.ops.rnn", "tf.nn"),
    ("tensorflow.python.ops.losses.losses", "tf.losses"),
    ("tensorflow.python.ops.sparse_ops", "tf"),
    ("tensorflow.python.ops.state_ops", "tf"),
    ("tensorflow.python.ops.string_ops", "tf"),
    ("tensorflow.python.ops.variables", "tf"),
    ("tensorflow.python.summary.summary", "tf.summary"),
    ("tensorflow.python.training.optimizer", "tf.train"),
    ("tensorflow.python.training.saver", "tf.train"),
    ("tensorflow.python.training.training_util", "tf.train"),
    ("tensorflow.python.training.coordinator", "tf.train"),
    ("tensorflow.python.training.learning_rate_decay", "tf.train"),
    ("tensorflow.python.training.moving_averages", "tf.train"),
    ("tensorflow.python.training.supervisor", "tf.train"),
    ("tensorflow.python.util.nest", "tf.nest"),
    ("tensorflow.python.keras", "tf.keras"),
    ("tensorflow.python.platform.flags", "tf.flags"),
    ("tensorflow.python.platform.app", "tf.app"),
    ("tensorflow.python.platform.gfile", "tf.gfile"),
    ("tensorflow.python.platform.tf_logging", "tf.logging"),
    (
        "tensorflow.contrib.training.python.training.device_setter",
        "tf.contrib.training",
    ),
    ("tensorflow.contrib.training.python.training.hparam", "tf.contrib.training"),
    ("tensorflow.contrib.framework.python.ops", "tf.contrib.framework"),
    ("tensorflow.contrib.layers.python.layers.initializers", "tf.contrib.layers"),
    ("tensorflow.contrib.layers.python.layers.regularizers", "tf.contrib.layers"),
    ("tensorflow.contrib.layers.python.layers.layers", "tf.contrib.layers"),
    ("tensorflow.contrib.rnn.python.ops.core_rnn_cell", "tf.contrib.rnn"),
    ("tensorflow.contrib.lookup.lookup_ops", "tf.contrib.lookup"),
    *(
        (f"tensorflow.contrib.opt.python.training.{module}", "tf.contrib.opt")
        for module in (
            "adamax",
            "lars_optimizer",
            "lazy_adam_optimizer",
            "moving_average_optimizer",
            "nadam_optimizer",
            "shampoo",
            "weight_decay_optimizers",
        )
    ),
)

# Keras's own files. The generated table has the public name of each name in them.
_KERAS = "tensorflow.python.keras."

# Public functions that wrap a private function, and so are other objects than it.
_WRAPPED = {"tensorflow.python.framework.ops.colocate_with": "tf.colocate_with"}

# Second name of an object -> its first name, which rules and front-ends look for.
_SECOND_NAMES: dict[str, str] = {
    f"tf.contrib.{module}.{name}": f"tf.train.{name}"
    for module in ("framework", "slim")
    for name in ("get_or_create_global_step", "create_global_step", "get_global_step")
}

# Second names of whole modules.
SECOND_MODULES = (
    {
        f"tf.contrib.slim.{name}.": f"tf.contrib.{name}."
        for name in ("losses", "metrics")
    }
    | {
        f"tf.contrib.{module}.{name}.": "tf.contrib.layers."
        for module in ("layers", "slim")
        for name in ("initializers", "regularizers")
    }
    | {"tf.contrib.slim.layers.": "tf.contrib.layers."}
    | {"tf.contrib.keras.api.keras.": "tf.keras.", "tf.contrib.keras.": "tf.keras."}
)
# Names of contrib's Keras modules whose objects are not Keras's.
_OWN_OF_CONTRIB = frozenset(
    {"tf.contrib.keras.callbacks.TensorBoard", "tf.contrib.keras.backend.name_scope"}
    | {"tf.contrib.keras.metrics.cosine_similarity"}
    | {
        f"tf.contrib.keras.optimizers.{name}"
        for name in ("Adadelta", "Adagrad", "Adam", "Adamax", "Nadam", "Optimizer")
    }
    | {f"tf.contrib.keras.optimizers.{name}" for name in ("RMSprop", "SGD")}
)

# Modules outside of TensorFlow whose symbols we also resolve. They keep their paths.
_NEIGHBOURS = (
    *("absl", "argparse", "collections", "itertools", "json", "logging", "numpy"),
    *("os", "random", "re", "six", "sys", "time"),
)


def is_interesting(path: str) -> bool:
    root = path.split(".", 1)[0]
    return root in ("tensorflow", "tf_keras", *_NEIGHBOURS)


def is_private(path: str) -> bool:
    """Whether a path leads through TensorFlow's own files."""
    if path.startswith("tensorflow.contrib."):
        return ".python." in path or ".lookup_ops" in path
    return path.startswith("tensorflow.python.")


def _find_public_symbol(path: str) -> str | None:
    """The public symbol of a private path, or None where there is none."""
    symbol = _WRAPPED.get(path, private_names.find_public(path))
    if symbol == "" and path.startswith(_KERAS):
        of_keras = "tf.keras." + path.removeprefix(_KERAS)
        if of_keras in symbols.list_modules():
            return of_keras
        return kept_names.find_public_of_keras(path) or None
    if symbol == "":
        for private, public in _PRIVATE_HOMES:
            if path == private or path.startswith(private + "."):
                return public + path[len(private) :]
    return symbol or None


def _get_first_name(symbol: str) -> str:
    for second, first in SECOND_MODULES.items():
        if symbol.startswith(second) and symbol not in _OWN_OF_CONTRIB:
            return first + symbol[len(second) :]
    return _SECOND_NAMES.get(symbol, symbol)


@functools.lru_cache(maxsize=65536)
def make_canonical(path: str) -> str | None:
    """`tensorflow.compat.v1.train.Server` -> `tf.train.Server`; None if not TensorFlow.

    A private symbol gets its public name, if it has one. Neighbouring modules (argparse,
    absl, ...) keep their own path.
    """
    if is_private(path):
        symbol = _find_public_symbol(path)
        if symbol is not None:
            return _get_first_name(symbol)
    for prefix in ("tensorflow.compat.v1", "tensorflow"):
        if path == prefix or path.startswith(prefix + "."):
            rest = path[len(prefix) :]
            symbol = "tf" + (rest.removeprefix(".compat.v1"))
            return _get_first_name(symbol)
    root = path.split(".", 1)[0]
    return path if root in _NEIGHBOURS or root == "tf_keras" else None
