"""Datasets that a program makes anew of what it feeds, for tf.distribute.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later.

    def make_dataset(x, y, batch_size):
        return tf.data.Dataset.from_tensor_slices((x, y)).batch(batch_size)

    dataset = FedDataset(make_dataset, tf.TensorSpec([None, 4]), ...)
    iterator = iter(dataset.fed(train_x, train_y, 32))
"""

import tensorflow as tf


class FedDataset:
    """What a function makes of values that are fed where an iterator is initialised.

    Args:
      make: gives a tf.data.Dataset of tensors.
      specs: a tf.TensorSpec of each of its arguments.

    Attributes:
      element_spec: of its elements, as far as the specs tell.
    """

    def __init__(self, make, *specs):
        self._make = make
        self._specs = specs
        found = []

        def traced(*arguments):
            found.append(make(*arguments).element_spec)

        tf.function(traced, autograph=False).get_concrete_function(*specs)
        self.element_spec = found[-1]

    def fed(self, *values):
        """The dataset of these values.

        Raises:
          ValueError: a value has not the shape that its placeholder had.
        """
        arguments = []
        for value, spec in zip(values, self._specs):
            tensor = tf.convert_to_tensor(value, spec.dtype)
            if not spec.shape.is_compatible_with(tensor.shape):
                raise ValueError(
                    f"Cannot feed value of shape {tensor.shape} for Tensor {spec}"
                )
            arguments.append(tensor)
        return self._make(*arguments)

    def __iter__(self):
        return _Uninitialised()


class _Uninitialised:
    """An iterator that was not initialised yet."""

    def __iter__(self):
        return self

    def __next__(self):
        return self.get_next()

    def get_next(self):
        raise tf.errors.FailedPreconditionError(
            None,
            None,
            "GetNext() failed because the iterator has not been initialized.",
        )
