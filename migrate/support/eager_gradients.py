"""Functions of tf.contrib.eager that differentiate functions.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later, and computes eagerly.
"""

import inspect

import tensorflow as tf


def implicit_value_and_gradients(f):
    """Gives what a function gives, and pairs of gradients and trained variables."""

    def compute(*args, **kwargs):
        with tf.GradientTape() as tape:
            result = f(*args, **kwargs)
        _check(f, result)
        variables = tape.watched_variables()
        if not variables:
            raise ValueError(
                "No trainable variables were accessed while the function was being "
                "computed."
            )
        gradients = tape.gradient(tf.nest.flatten(result), variables)
        return result, list(zip(gradients, variables))

    return compute


def implicit_gradients(f):
    """Gives pairs of gradients and trained variables."""

    def compute(*args, **kwargs):
        return implicit_value_and_gradients(f)(*args, **kwargs)[1]

    return compute


def value_and_gradients_function(f, params=None):
    """Gives what a function gives, and its gradients by its parameters."""

    def compute(*args, dy=None):
        places = _find_places(f, params, args)
        args = [tf.identity(arg) if i in places else arg for i, arg in enumerate(args)]
        sources = [args[i] for i in places]
        with tf.GradientTape() as tape:
            tape.watch(sources)
            result = f(*args)
            _check(f, result)
            result = tf.nest.map_structure(tf.identity, result)
        if dy is not None:
            dy = [tf.convert_to_tensor(x) for x in tf.nest.flatten(dy)]
        gradients = tape.gradient(tf.nest.flatten(result), sources, output_gradients=dy)
        return result, gradients

    return compute


def gradients_function(f, params=None):
    """Gives the gradients of a function by its parameters."""

    def compute(*args, dy=None):
        return value_and_gradients_function(f, params)(*args, dy=dy)[1]

    return compute


def _check(f, result):
    if result is None:
        raise ValueError(
            "Cannot differentiate a function that returns None; did you forget to return "
            f"a value from {f.__name__}?"
        )


def _find_places(f, params, given):
    """The places of the parameters to differentiate by: all of them, or those named."""
    try:
        names = inspect.getfullargspec(f).args
    except TypeError:  # It is an object that can be called.
        names = []
    if params is None:
        return list(range(len(names or given)))
    if all(isinstance(x, str) for x in params):
        return [names.index(x) for x in params]
    if all(isinstance(x, int) for x in params):
        return list(params)
    raise ValueError(f"params must be all strings or all integers; got {params}.")
