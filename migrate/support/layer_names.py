"""Names of layers that have none of their own, numbered as in TensorFlow 1.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later.
"""

import collections
import weakref

import tensorflow as tf

# As in TensorFlow 1, each graph has counts of its own.
_counts = weakref.WeakKeyDictionary()


def number(name):
    """`name` for the first such layer in the open name scope; then `name_1`, `name_2`.

    Keras has one count for all scopes. TensorFlow 1 had one for each variable scope.
    """
    graph = tf.compat.v1.get_default_graph()
    counts = _counts.setdefault(graph, collections.Counter())
    scope = tf.get_current_name_scope()
    at = counts[scope, name]
    counts[scope, name] += 1
    return f"{name}_{at}" if at else name
