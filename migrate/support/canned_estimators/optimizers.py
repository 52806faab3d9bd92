"""The optimizers that ready-made Estimators take by default or by name."""

import copy
import math

import tensorflow as tf

v1 = tf.compat.v1


_OPTIMIZERS = {
    "Adagrad": v1.train.AdagradOptimizer,
    "Adam": v1.train.AdamOptimizer,
    "Ftrl": v1.train.FtrlOptimizer,
    "RMSProp": v1.train.RMSPropOptimizer,
    "SGD": v1.train.GradientDescentOptimizer,
}
# Learning rates of optimizers that are given by name. A combined model's linear one, and
# the one of a linear model whose optimizer is None, is at most 1 / sqrt(columns).
RATES = {
    "dnn": 0.05,
    "linear": 0.2,
    "combined dnn": 0.001,
    "combined linear": 0.005,
    "baseline": 0.3,
}


def get_optimizer_instance(opt, learning_rate=None):
    """The optimizer that is given: itself, a function that makes it, or its name.

    Args:
      learning_rate: of an optimizer that is given by name.

    Raises:
      ValueError: it is none of these.
    """
    if isinstance(opt, str):
        if opt not in _OPTIMIZERS:
            raise ValueError(
                f"Unsupported optimizer name: {opt}. Supported names are: "
                f"{tuple(sorted(_OPTIMIZERS))}"
            )
        if not learning_rate:
            raise ValueError("learning_rate must be specified when opt is string.")
        return _OPTIMIZERS[opt](learning_rate=learning_rate)
    if isinstance(opt, v1.train.Optimizer):
        # What it knows of variables belongs to one graph.
        return copy.deepcopy(opt)
    optimizer = opt() if callable(opt) else opt
    if not isinstance(optimizer, v1.train.Optimizer):
        raise ValueError(
            f"The given object is not an Optimizer instance. Given: {optimizer}"
        )
    return optimizer


def linear_rate(model, columns):
    return min(RATES[model], 1.0 / math.sqrt(len(columns)))


def clip_gradients_by_norm(optimizer, clip_norm):
    """tf.contrib.estimator's: the optimizer, of gradients whose global norm is clipped."""
    return _Clipped(optimizer, clip_norm)


class _Clipped(v1.train.Optimizer):
    """Clips gradients before another optimizer applies them, which has the slots."""

    def __init__(self, optimizer, clip_norm):
        super().__init__(use_locking=False, name=f"ClipByNorm{optimizer.get_name()}")
        self._optimizer, self._clip_norm = optimizer, clip_norm

    def compute_gradients(self, *args, **kwargs):
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        gradients, variables = zip(*grads_and_vars)
        gradients, _ = tf.clip_by_global_norm(gradients, self._clip_norm)
        pairs = list(zip(gradients, variables))
        return self._optimizer.apply_gradients(pairs, global_step, name)

    def get_slot(self, *args, **kwargs):
        return self._optimizer.get_slot(*args, **kwargs)

    def get_slot_names(self):
        return self._optimizer.get_slot_names()

    def variables(self):
        return self._optimizer.variables()
