"""What an input_fn gives, as a dataset.

Written beside your program by tf1to2; it is yours to read and change. It needs TensorFlow
2.15 or later.
"""

import itertools
import random
import threading

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1


class _Drawn(Exception):
    """An input_fn has asked an iterator for a batch."""

    def __init__(self, dataset):
        super().__init__("an input_fn's iterator was asked outside of Estimator")
        self.dataset = dataset


class _OneShotIterator:
    """`dataset.make_one_shot_iterator()`, whose `get_next` an input_fn builds on."""

    drawing = threading.local()

    def __init__(self, dataset):
        self._dataset = dataset
        self.initializer = tf.no_op() if not tf.executing_eagerly() else None

    def get_next(self, name=None):
        batch = getattr(self.drawing, "batch", None)
        if batch is None:
            raise _Drawn(self._dataset)
        return batch[0]


def one_shot_iterator(dataset):
    """The iterator of a dataset in an input_fn: its `get_next` stands for a batch."""
    return _OneShotIterator(dataset)


def when_asked(dataset):
    """A dataset of Python code that takes no element before a step asks for it.

    TensorFlow 2 would take elements ahead, in a thread. The code may share state with
    other parts of the program: random numbers, a counter, a file.
    """
    options = tf.data.Options()
    options.experimental_optimization.inject_prefetch = False
    return dataset.with_options(options)


def fed(value, dtype, shape=None, name=None):
    """What an input_fn's placeholder was fed, when its iterator was initialised.

    Where the input_fn is run as a function of its dataset's elements, zeros stand for
    the array: the dataset is known by then, and the function is not to hold it.

    Raises:
      ValueError: the value has another shape than the placeholder.
    """
    dtype, shape = tf.as_dtype(dtype), tf.TensorShape(shape)
    value = np.asarray(value, dtype.as_numpy_dtype)
    if not shape.is_compatible_with(value.shape):
        raise ValueError(f"Cannot feed value of shape {value.shape} for {shape}")
    if getattr(_OneShotIterator.drawing, "batch", None) is not None:
        return tf.zeros(value.shape, dtype)
    return tf.convert_to_tensor(value)


def dataset_of(input_fn):
    """What an input_fn gives, as a dataset of (features, labels) or features.

    An input_fn that takes a batch from an iterator is run twice: once to find the
    dataset, once as a function of its elements. Both draw the same numbers from
    Python's and NumPy's generators.
    """
    drawn_before = random.getstate(), np.random.get_state()
    try:
        result = input_fn()
    except _Drawn as drawn:
        local = _OneShotIterator.drawing

        def process(*batch):
            random.setstate(drawn_before[0])
            np.random.set_state(drawn_before[1])
            local.batch = [batch[0] if len(batch) == 1 else batch]
            try:
                return _as_dataset_element(input_fn())
            finally:
                local.batch = None

        return drawn.dataset.map(process)
    if isinstance(result, tf.data.Dataset):
        return result
    if isinstance(result, _Input):
        return result.dataset()
    # Tensors that no iterator gives: the same batch in every step.
    return tf.data.Dataset.from_tensors(_as_dataset_element(result)).repeat()


class Batches:
    """What `session.run` gave of an input_fn's tensors: batches, as numpy values.

    Args:
      source: the input_fn, which is called now, or a dataset.
    """

    def __init__(self, source):
        is_dataset = isinstance(source, tf.data.Dataset)
        self._elements = iter(source if is_dataset else dataset_of(source))

    def next(self, pick=None):
        """The next batch.

        Args:
          pick: a function of the batch's parts; gives what it gives.

        Raises:
          tf.errors.OutOfRangeError: there is none.
        """
        batch = tf.nest.map_structure(_value, self._elements.get_next())
        return batch if pick is None else pick(*batch)


def first_batch(input_fn):
    """What `session.run(input_fn())` gave."""
    return Batches(input_fn).next()


def _value(tensor):
    if isinstance(tensor, tf.SparseTensor):
        parts = (tensor.indices, tensor.values, tensor.dense_shape)
        return tf.compat.v1.SparseTensorValue(*[part.numpy() for part in parts])
    return tensor.numpy()


def _as_dataset_element(result):
    """Lists would be one tensor in a dataset; TF1 took them for a pair."""
    if isinstance(result, list):
        result = tuple(result)
    if isinstance(result, tuple) and len(result) == 2 and result[1] is None:
        result = result[0]
    return result


def grouped(batches, count):
    """Lists of `count` batches, one for each replica; what is left over is left out."""
    while len(group := list(itertools.islice(batches, count))) == count:
        yield group


def features_and_labels(element):
    """(features, labels) of an element of an input_fn's dataset.

    In dictionaries of their own: a model_fn may change them (`features.pop("id")`).
    """
    element = tf.nest.map_structure(lambda part: part, element)
    if isinstance(element, (tuple, list)):
        if len(element) == 1:
            return element[0], None
        if len(element) == 2:
            return element[0], element[1]
        raise ValueError("input_fn should return (features, labels)")
    return element, None


class _Input:
    """An input_fn's result that is made into a dataset where it is used.

    Where another input_fn takes it apart, its parts are those of a batch.
    """

    def __init__(self, make):
        self.dataset = make

    def _draw(self):
        batch = getattr(_OneShotIterator.drawing, "batch", None)
        if batch is None:
            raise _Drawn(self.dataset())
        return batch[0]

    def __iter__(self):
        return iter(self._draw())

    def __getitem__(self, key):
        return self._draw()[key]


def numpy_input_fn(
    x,
    y=None,
    batch_size=128,
    num_epochs=1,
    shuffle=None,
    queue_capacity=1000,
    num_threads=1,
):
    """Batches of rows of arrays; a batch may span epochs, the last may be smaller.

    Args:
      x: an array or a dict of arrays, rows first.
      y: labels, likewise, or None.
      shuffle: whether rows are drawn at random; must be given. As from TF1's queue, a
        draw may be of the next epoch already, and the first epoch starts anywhere.
      queue_capacity: how many rows a random draw is from.
      num_threads: how often the rows are given in an epoch: TF1's threads gave all of
        them each.
    """
    if not isinstance(shuffle, bool):
        raise ValueError(
            "shuffle must be provided and explicitly set as boolean "
            f"(it is recommended to set it as True for training); got {shuffle}"
        )
    lengths = {len(a) for a in tf.nest.flatten([x] if y is None else [x, y])}
    if len(lengths) != 1:
        raise ValueError(f"Length of tensors in x and y is mismatched: {lengths}")

    def make():
        data = x if y is None else (x, y)
        dataset = tf.data.Dataset.from_tensor_slices(data)
        if shuffle:
            start = random.Random().randrange(max(*lengths, 1))
            dataset = dataset.skip(start).concatenate(dataset.take(start))
        epochs = None if num_epochs is None else num_epochs * num_threads
        dataset = dataset.repeat(epochs)
        if shuffle:
            dataset = dataset.shuffle(queue_capacity)
        return dataset.batch(batch_size, drop_remainder=num_epochs is None)

    return lambda: _Input(make)


def pandas_input_fn(
    x,
    y=None,
    batch_size=128,
    num_epochs=1,
    shuffle=None,
    queue_capacity=1000,
    num_threads=1,
    target_column="target",
):
    """As numpy_input_fn, of a DataFrame's columns; y is a Series or a DataFrame."""
    columns = {name: x[name].values for name in x.columns}
    labels = None
    if y is not None:
        many = hasattr(y, "columns")
        labels = {name: y[name].values for name in y.columns} if many else y.values
    return numpy_input_fn(
        columns, labels, batch_size, num_epochs, shuffle, queue_capacity, num_threads
    )
