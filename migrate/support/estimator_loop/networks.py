"""Keras's layers and networks in the graph of a model_fn, as TF1's Keras had them."""

import weakref

import tensorflow as tf
import tf_keras
from tf_keras.src import backend

from .network_updates import losses_for, updates_for, wait_to_be_asked

_graphs = weakref.WeakSet()  # That were begun.
_of_model_fns = (
    weakref.WeakSet()
)  # Of these, those that a program's own model_fn builds.


def _open_their_scopes():
    """A `Sequential` that is told no shape calls its layers one after the other.

    So its name is in the names of their variables ("sequential/dense/kernel"), as in TF1.
    TensorFlow 2's makes a network of inputs to come at its first call, outside of scopes:
    so it does where no model_fn is built.
    """
    sequential = tf_keras.Sequential
    make = sequential._build_graph_network_for_inferred_shape

    def make_network(self, *args, **kwargs):
        if _is_within(_graphs):
            self._use_legacy_deferred_behavior = True
        make(self, *args, **kwargs)

    sequential._build_graph_network_for_inferred_shape = make_network


def _is_within(graphs):
    graph = tf.compat.v1.get_default_graph()
    while graph is not None and graph not in graphs:
        graph = getattr(graph, "outer_graph", None)  # Of a branch, the graph around it.
    return graph is not None


def _keep_losses():
    """A network that is called again adds to its losses, and has those of each call.

    In TensorFlow 2 a call begins them anew.
    """
    layer = tf_keras.layers.Layer
    clear = layer._clear_losses

    def clear_losses(self):
        graph = tf.compat.v1.get_default_graph()
        kept = []
        if graph in _of_model_fns:
            kept = [
                (inner, [x for x in inner._eager_losses if _graph_of(x) is graph])
                for inner in self._flatten_layers()
            ]
        clear(self)
        for inner, losses in kept:
            inner._eager_losses = losses

    layer._clear_losses = clear_losses


def _graph_of(loss):
    return None if tf.is_tensor(loss) and hasattr(loss, "numpy") else loss.graph


def _answer():
    """What TF1's layers were asked for by hand."""
    layer = tf_keras.layers.Layer
    if not hasattr(layer, "get_updates_for"):
        layer.get_updates_for = updates_for
        layer.get_losses_for = losses_for
    has = layer.updates.fget

    def updates(self):
        return updates_for(self) if _is_within(_of_model_fns) else has(self)

    layer.updates = property(updates)


_open_their_scopes()
_keep_losses()
_answer()
wait_to_be_asked(_of_model_fns)


def begin_graph(graph):
    """Tells Keras of a graph that is about to be built.

    A learning phase that was set is that of the graph before. And by the name that
    TensorFlow gives a graph that is to be pruned, Keras takes it for one of TF1's: it has
    layers of TF1's kind called on inputs of TensorFlow 2's, which call themselves for ever.
    """
    _graphs.add(graph)
    backend._DUMMY_EAGER_GRAPH.learning_phase_is_set = False
    backend._GRAPH_LEARNING_PHASES.pop(backend._DUMMY_EAGER_GRAPH.key, None)
    if graph.name.startswith("wrapped_function"):
        graph.name = "pruned"


def begin_model_fn():
    """Tells that a program's own model_fn builds the graph: it asks for updates itself."""
    _of_model_fns.add(tf.compat.v1.get_default_graph())


def count_anew():
    """Tells Keras that what is built now has the names of what the first replica built."""
    backend.PER_GRAPH_OBJECT_NAME_UIDS.pop(backend.get_graph(), None)
