"""The model of `tf1_saved`, as its owner would write it for Keras 2 and for Keras 3."""

from __future__ import annotations

from typing import Any


def build_with_tf_keras() -> Any:
    import tensorflow as tf
    import tf_keras as keras

    class Net(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.table = keras.layers.Embedding(11, 3, name="table")
            self.hidden = keras.layers.Dense(5, "relu", name="hidden")
            self.out = keras.layers.Dense(2, name="out")

        def build(self, shapes: object = None) -> None:
            self.wide = self.add_weight("wide", [6, 2])
            self.columns = self.add_weight("columns", [2, 8])
            self.built = True

        def call(self, inputs: Any) -> Any:
            x, ids = inputs
            hidden = self.hidden(tf.concat([x, self.table(ids)], 1))
            return self.out(hidden) + x @ self.wide + tf.reduce_sum(self.columns, 1)

    net = Net()
    net((tf.zeros([1, 6]), tf.zeros([1], tf.int32)))
    return net


def build_with_keras_3() -> Any:
    import keras

    class Net(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.table = keras.layers.Embedding(11, 3, name="table")
            self.hidden = keras.layers.Dense(5, "relu", name="hidden")
            self.drop = keras.layers.Dropout(0.5)
            self.out = keras.layers.Dense(2, name="out")
            self.wide = self.add_weight(name="wide", shape=[6, 2])
            self.columns = self.add_weight(name="columns", shape=[2, 8])

        def build(self, shapes: object = None) -> None:
            self.table.build((None,))
            self.hidden.build((None, 9))
            self.out.build((None, 5))
            self.built = True

        def call(self, inputs: Any) -> Any:
            x, ids = inputs
            joined = keras.ops.concatenate([x, self.table(ids)], 1)
            hidden = self.drop(self.hidden(joined))
            return self.out(hidden) + x @ self.wide + keras.ops.sum(self.columns, 1)

    net = Net()
    net.build()
    return net


def build_huge() -> Any:
    """A table of 2.6 TB, which no machine that tests has room for."""
    import tf_keras as keras

    return keras.Sequential(
        [keras.layers.Input((1,)), keras.layers.Embedding(10**10, 64, name="huge")]
    )


def not_a_model() -> object:
    return object()
