"""Strategies of tf.contrib.training that place variables on parameter servers.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later. Give one to `tf.compat.v1.train.replica_device_setter`.
"""

import hashlib

import numpy as np
import tensorflow as tf


class RandomStrategy:
    """Places a variable by a hash of its name."""

    def __init__(self, num_ps_tasks, seed=0):
        self._num_tasks, self._seed = num_ps_tasks, seed

    def __call__(self, op):
        key = f"{op.name}_{self._seed}".encode()
        return int(hashlib.md5(key).hexdigest(), 16) % self._num_tasks


class GreedyLoadBalancingStrategy:
    """Places a variable on the parameter server that has the least load so far.

    Args:
      num_tasks: how many parameter servers there are.
      load_fn: gives an operation's load.
    """

    def __init__(self, num_tasks, load_fn):
        self._loads, self._load_fn = np.zeros(num_tasks), load_fn

    def __call__(self, op):
        task = int(np.argmin(self._loads))
        self._loads[task] += self._load_fn(op)
        return task


def byte_size_load_fn(op):
    """The bytes of an operation's only output.

    Raises:
      ValueError: it has several outputs, or one of no known shape.
    """
    if len(op.outputs) != 1:
        raise ValueError(f"Op {op} must have a single output")
    shape = op.outputs[0].shape
    dtype = op.outputs[0].dtype
    if dtype == tf.resource:  # A resource variable's own shape and type.
        shape, dtype = tf.TensorShape(op.get_attr("shape")), op.get_attr("dtype")
    elif not shape.is_fully_defined():
        shape = tf.TensorShape(op.get_attr("shape"))
    shape.assert_is_fully_defined()
    return shape.num_elements() * dtype.size
