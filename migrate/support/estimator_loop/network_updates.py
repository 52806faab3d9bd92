"""Updates of Keras's layers that a model_fn runs: as in TF1, those that it asks for.

TensorFlow 2's layers move their averages where they are called. Here a call computes by
how much, and what is asked for is subtracted: nothing else is moved, and a network that is
called twice moves its averages by both calls from the same values, as in TF1.
"""

import collections.abc
import weakref

import tensorflow as tf
from tf_keras.src.engine import base_layer_utils
from tf_keras.src.engine.base_layer import Layer
from tf_keras.src.layers.normalization import batch_normalization
from tf_keras.src.legacy_tf_layers import base

_made = weakref.WeakKeyDictionary()  # Layer -> its updates.
_Batches = batch_normalization.BatchNormalizationBase


class _Update:
    """An update of one call of a layer.

    Args:
      source: a tensor or an operation that it is made of.
      make: gives the operation; called once, when it is first asked for.
    """

    def __init__(self, source, make):
        self.source, self._make = source, make
        self._operation = None
        self.graph = tf.compat.v1.get_default_graph()
        # What the layer was called with.
        self.inputs = base_layer_utils.call_context().inputs

    def run(self):
        if self._operation is None:
            with tf.control_dependencies(None):
                self._operation = self._make()
        return self._operation


def _subtract(variable, difference):
    return _Update(difference, lambda: variable.assign_sub(difference))


class Updates(collections.abc.MutableSequence):
    """Updates as a list: only what is taken out of it is run."""

    def __init__(self, updates=()):
        self._updates = list(updates)

    def __len__(self):
        return len(self._updates)

    def __getitem__(self, index):
        found = self._updates[index]
        if isinstance(index, slice):
            return Updates(found)
        return found.run() if isinstance(found, _Update) else found

    def __setitem__(self, index, value):
        self._updates[index] = value

    def __delitem__(self, index):
        del self._updates[index]

    def insert(self, index, value):
        self._updates.insert(index, value)

    def extend(self, values):
        self._updates.extend(_untaken(values))

    def __add__(self, other):
        return Updates([*self._updates, *_untaken(other)])

    def __radd__(self, other):
        return Updates([*_untaken(other), *self._updates])


def _untaken(updates):
    return updates._updates if isinstance(updates, Updates) else updates


def wait_to_be_asked(graphs):
    """Layers wait until their updates are asked for, in the graphs of model_fns."""

    def waits(layer):
        # Those of tf.layers are in a collection, and run.
        ours = tf.compat.v1.get_default_graph() in graphs
        return ours and not layer.renorm and not isinstance(layer, base.Layer)

    move, assign = _Batches._assign_moving_average, _Batches._assign_new_value

    def assign_moving_average(self, variable, value, momentum, inputs_size):
        if not waits(self):
            return move(self, variable, value, momentum, inputs_size)
        difference = (variable - tf.cast(value, variable.dtype)) * tf.cast(
            1.0 - momentum, variable.dtype
        )
        if inputs_size is not None:
            zeros = tf.zeros_like(difference)
            difference = tf.where(inputs_size > 0, difference, zeros)
        return _made.setdefault(self, []).append(_subtract(variable, difference))

    def assign_new_value(self, variable, value):
        if not waits(self):
            return assign(self, variable, value)
        difference = variable - value
        return _made.setdefault(self, []).append(_subtract(variable, difference))

    add = Layer.add_update

    def add_update(self, updates, inputs=None):
        """Keeps an update of a layer of the program; TF1 was told of its inputs, too."""
        graph = tf.compat.v1.get_default_graph()
        if isinstance(self, (_Batches, base.Layer)) or graph not in graphs:
            add(self, updates)
        elif not base_layer_utils.call_context().in_keras_graph:
            of = _made.setdefault(self, [])
            of.extend(_given(x) for x in tf.nest.flatten(updates))

    _Batches._assign_moving_average = assign_moving_average
    _Batches._assign_new_value = assign_new_value
    Layer.add_update = add_update


def _given(update):
    """An update that a layer of the program gives.

    Raises:
      TypeError: it is an operation, which would be run whether it is asked for or not.
    """
    if not callable(update):
        raise TypeError(
            "add_update was given an operation, which is run where it is made: give it a "
            "function that makes it, `self.add_update(lambda: variable.assign(value))`."
        )
    return _Update(base_layer_utils.call_context().inputs, update)


_EVERY = object()


def updates_for(self, inputs=_EVERY):
    """The updates of a layer, and of those within it.

    Args:
      inputs: tensors that they depend on; None for those that depend on no input.
    """
    graph = tf.compat.v1.get_default_graph()
    found = [
        update
        for layer in self._flatten_layers()
        for update in _made.get(layer, ())
        if update.graph is graph
    ]
    if inputs is None:
        found = [x for x in found if not _depends(x.source, x.inputs)]
    elif inputs is not _EVERY:
        found = [x for x in found if _depends(x.source, inputs)]
    return Updates(found)


def losses_for(self, inputs):
    """The losses of a layer, and of those within it, as `get_updates_for` gives updates."""
    of_calls = {id(x) for inner in self._flatten_layers() for x in inner._eager_losses}
    if inputs is None:
        return [x for x in self.losses if id(x) not in of_calls]
    losses = [x for x in self.losses if id(x) in of_calls]
    return [x for x in losses if _depends(x, inputs)]


def _depends(tensor, inputs):
    """Whether a tensor, or an operation, is computed of one of some others."""
    wanted = {id(x) for x in tf.nest.flatten(inputs, expand_composites=True)}
    seen, stack = set(), tf.nest.flatten(tensor, expand_composites=True)
    while stack:
        found = stack.pop()
        if id(found) in wanted:
            return True
        if id(found) not in seen:
            seen.add(id(found))
            operation = found if isinstance(found, tf.Operation) else found.op
            stack.extend(operation.inputs)
    return False
