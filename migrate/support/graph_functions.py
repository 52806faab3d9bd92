"""Functions that TensorFlow 2 does not have, in graph mode.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later.
"""

import tensorflow as tf


def nth_element(input, n, reverse=False, name=None):  # noqa: A002 - contrib's name
    """The n-th smallest value of each row, the smallest for n = 0; largest if reversed."""
    return tf.raw_ops.NthElement(input=input, n=n, reverse=reverse, name=name)


def get_name_scope():
    """The name scope in which the graph's next operation is made."""
    return tf.compat.v1.get_default_graph().get_name_scope()


def when_asked(dataset):
    """A dataset of Python code that takes no element before a step asks for it.

    TensorFlow 2 would take elements ahead, in a thread. The code may share state with
    other parts of the program: random numbers, a counter, a file.
    """
    options = tf.data.Options()
    options.experimental_optimization.inject_prefetch = False
    return dataset.with_options(options)
