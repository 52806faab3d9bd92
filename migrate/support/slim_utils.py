"""Functions of tf.contrib.slim.utils, for layers that a program writes itself.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later.
"""

import collections

import tensorflow as tf

v1 = tf.compat.v1

NamedOutputs = collections.namedtuple("NamedOutputs", ["name", "outputs"])


def last_dimension(shape, min_rank=1):
    """The last dimension of a shape, which must be known."""
    return _get_dimension(shape, -1, min_rank)


def channel_dimension(shape, data_format, min_rank=1):
    """The dimension of the channels: the second, or the last one."""
    return _get_dimension(shape, 1 if data_format == "channels_first" else -1, min_rank)


def _get_dimension(shape, index, min_rank):
    if shape.dims is None:
        raise ValueError("dims of shape must be known but is None")
    if len(shape.dims) < min_rank:
        rank = len(shape.dims)
        raise ValueError(f"rank of shape must be at least {min_rank} not: {rank}")
    value = shape.dims[index].value
    if value is None:
        raise ValueError(
            f"dimension {index} of shape must be known but is None: {shape}"
        )
    return value


def two_element_tuple(int_or_tuple):
    """A number twice, or the two numbers of a sequence."""
    if isinstance(int_or_tuple, (list, tuple)):
        if len(int_or_tuple) != 2:
            raise ValueError(f"Must be a list with 2 elements: {int_or_tuple}")
        return int(int_or_tuple[0]), int(int_or_tuple[1])
    if isinstance(int_or_tuple, int):
        return int_or_tuple, int_or_tuple
    if isinstance(int_or_tuple, tf.TensorShape) and len(int_or_tuple) == 2:
        return int_or_tuple[0], int_or_tuple[1]
    raise ValueError(
        "Must be an int, a list with 2 elements or a TensorShape of length 2"
    )


def n_positive_integers(n, value):
    """A positive number n times, or the n positive numbers of a sequence."""
    if int(n) < 1 or int(n) != n:
        raise ValueError("n must be a positive integer")
    n = int(n)
    try:
        values = (int(value),) * n
    except (TypeError, ValueError):
        expected = f"Expected sequence of {n} positive integers, but received {value!r}"
        if len(value) != n:
            raise ValueError(expected) from None
        try:
            values = tuple(int(x) for x in value)
        except (TypeError, ValueError):
            raise ValueError(expected) from None
    for x in values:
        if x < 1:
            raise ValueError(f"expected positive integer, but received {x}")
    return values


def constant_value(value_or_tensor_or_var, dtype=None):
    """The value of a constant, None for what is known at run time alone."""
    value = value_or_tensor_or_var
    if value is None:
        raise ValueError("value_or_tensor_or_var cannot be None")
    if not isinstance(value, (tf.Tensor, tf.Variable)):
        return value
    if dtype and value.dtype != dtype:
        raise ValueError(f"It has the wrong type {value.dtype} instead of {dtype}")
    return None if isinstance(value, tf.Variable) else tf.get_static_value(value)


def static_cond(pred, fn1, fn2):
    """Calls one of two functions, by what Python knows."""
    for name, fn in (("fn1", fn1), ("fn2", fn2)):
        if not callable(fn):
            raise TypeError(f"{name} must be callable.")
    return fn1() if pred else fn2()


def smart_cond(pred, fn1, fn2, name=None):
    """Calls one of two functions where the condition is a constant, else tf.cond."""
    known = constant_value(pred)
    if known is None:
        # As slim called it: its fourth parameter is `strict`.
        return v1.cond(pred, fn1, fn2, name)
    return static_cond(known, fn1, fn2)


def get_variable_collections(variables_collections, name):
    """The collections of a kind of variables: those of a dict's entry, or all."""
    if isinstance(variables_collections, dict):
        return variables_collections.get(name, None)
    return variables_collections
