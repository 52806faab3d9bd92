"""Layers of a functional model that Keras has otherwise, or not."""

import inspect

import tensorflow as tf
import tf_keras


class Dropout(tf_keras.layers.Dropout):
    """Dropout with a seed: what TF1 drew by it, however often the model is called.

    Keras's own goes on to another seed with every call.
    """

    def call(self, inputs, training=None):
        if not training or self.rate == 0:
            return tf.identity(inputs)
        return tf.nn.dropout(
            inputs, rate=self.rate, noise_shape=self.noise_shape, seed=self.seed
        )


class Shared:
    """A network that is called more than once: its layers are made by the first call.

    Every other call applies these again, as TF1 did where variables were shared.

    Args:
      network: a function of symbolic tensors, which makes layers.
    """

    def __init__(self, network):
        self._network, self._again = network, None

    def __call__(self, *args, **kwargs):
        bound = inspect.signature(self._network).bind(*args, **kwargs)
        bound.apply_defaults()
        given = tf.nest.flatten(bound.arguments)
        tensors = [value for value in given if _is_symbolic(value)]
        others = [value for value in given if not _is_symbolic(value)]
        if self._again is not None:
            if len(given) != self._count or not all(
                map(_is_equal, others, self._others)
            ):
                raise ValueError(
                    f"{self._network.__name__} shares its layers, and is given something "
                    "else than other tensors"
                )
            return self._again(tensors)
        # The model that is called again begins where the network does.
        tensors = [tf.identity(tensor) for tensor in tensors]
        rest = iter(tensors)
        own = [next(rest) if _is_symbolic(value) else value for value in given]
        bound.arguments = tf.nest.pack_sequence_as(bound.arguments, own)
        outputs = self._network(*bound.args, **bound.kwargs)
        self._again = tf_keras.Model(tensors, outputs)
        self._count, self._others = len(given), others
        return outputs


class Variable(tf_keras.layers.Layer):
    """A variable of a functional model: whatever it is applied to, it gives its value."""

    def __init__(self, name, **kwargs):
        super().__init__(name=name, autocast=False)
        self._value = self.add_weight(name, **kwargs)

    def __call__(self, inputs):
        made = bool(self.inbound_nodes)
        if not made and not any(map(_is_symbolic, tf.nest.flatten(inputs))):
            raise ValueError(
                f"{self.name} is applied to nothing of the model's features"
            )
        return super().__call__(inputs)

    def call(self, inputs):
        return tf.convert_to_tensor(self._value)


def unique_name(name):
    """The name, or it with a number: `mlp/dense`, then `mlp/dense_1`, as TF1's scope counted.

    Counts begin anew with every model that an Estimator makes.
    """
    before = tf_keras.backend.get_uid(name) - 1
    return f"{name}_{before}" if before else name


def _is_symbolic(value):
    return tf.is_tensor(value) and tf_keras.backend.is_keras_tensor(value)


def _is_equal(one, other):
    return one is other or bool(tf.reduce_all(one == other))
