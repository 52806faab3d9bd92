"""Module paths: which are TensorFlow's, and the one spelling of each symbol."""

from __future__ import annotations

# Private modules whose members are public under another name. Facts, not logic:
# (prefix of the dotted path, canonical prefix).
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
    ("tensorflow.python.platform.flags", "tf.flags"),
    ("tensorflow.python.platform.app", "tf.app"),
    ("tensorflow.python.platform.gfile", "tf.gfile"),
    ("tensorflow.python.platform.tf_logging", "tf.logging"),
    (
        "tensorflow.contrib.training.python.training.device_setter",
        "tf.contrib.training",
    ),
)

# Modules outside TensorFlow whose symbols we also resolve, spelled as they are.
_NEIGHBOURS = (
    *("absl", "argparse", "collections", "itertools", "json", "logging", "numpy"),
    *("os", "random", "re", "six", "sys", "time"),
)


def is_interesting(path: str) -> bool:
    root = path.split(".", 1)[0]
    return root in ("tensorflow", "tf_keras", *_NEIGHBOURS)


def canonical(path: str) -> str | None:
    """`tensorflow.compat.v1.train.Server` -> `tf.train.Server`; None if not TensorFlow.

    Neighbouring modules (argparse, absl, ...) keep their own path.
    """
    for private, public in _PRIVATE_HOMES:
        if path == private or path.startswith(private + "."):
            return public + path[len(private) :]
    for prefix in ("tensorflow.compat.v1", "tensorflow"):
        if path == prefix or path.startswith(prefix + "."):
            rest = path[len(prefix) :]
            return "tf" + (rest.removeprefix(".compat.v1"))
    root = path.split(".", 1)[0]
    return path if root in _NEIGHBOURS or root == "tf_keras" else None
