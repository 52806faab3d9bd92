"""The MNIST reader of TF1's tutorials (`read_data_sets`, `next_batch`).

Written beside your program by tf1to2, because TensorFlow 2 has no such module. For
the same files and the same numpy seed it gives the same batches in the same order
as tensorflow.contrib.learn's reader in TensorFlow 1.15.

Beside `training_session` it draws from that module's `numpy_random`: every worker has
a generator of its own, as every TF1 worker was a process of its own.
"""

import collections
import gzip
import os
import tempfile
import urllib.request

import numpy as np
import tensorflow as tf

try:
    from training_session import numpy_random
except ImportError:  # This module is used without it.
    numpy_random = np.random

DEFAULT_SOURCE_URL = "https://storage.googleapis.com/cvdf-datasets/mnist/"
Datasets = collections.namedtuple("Datasets", ["train", "validation", "test"])


class DataSet:
    """Images and labels, served in shuffled batches.

    Args:
      images: uint8 array [examples, rows, columns, 1].
      labels: array whose first dimension is the number of examples.
      fake_data: serve constant examples and ignore the arrays.
      one_hot: only of effect with fake_data.
      dtype: tf.uint8 keeps [0, 255]; tf.float32 scales to [0, 1].
      reshape: flatten each image.
      seed: reseeds the generator (of all sets), as the TF1 reader does.
    """

    def __init__(
        self,
        images,
        labels,
        fake_data=False,
        one_hot=False,
        dtype=tf.float32,
        reshape=True,
        seed=None,
    ):
        graph_seed, op_seed = tf.compat.v1.random.get_seed(seed)
        numpy_random.seed(graph_seed if seed is None else op_seed)
        dtype = tf.as_dtype(dtype)
        if dtype not in (tf.uint8, tf.float32):
            raise TypeError(f"Image dtype must be uint8 or float32, not {dtype}")
        self._one_hot = one_hot
        self.epochs_completed = 0
        self._next = 0
        # Only for DataSet(fake_data).
        if fake_data:
            self.images, self.labels, self.num_examples = images, labels, 10000
            return
        if len(images) != len(labels):
            raise ValueError(f"{len(images)} images, but {len(labels)} labels")
        self.num_examples = len(images)
        if reshape:
            images = images.reshape(len(images), int(np.prod(images.shape[1:])))
        if dtype == tf.float32:
            images = np.multiply(images.astype(np.float32), 1.0 / 255.0)
        self.images, self.labels = images, labels

    def _shuffle(self):
        order = np.arange(self.num_examples)
        numpy_random.shuffle(order)
        self.images, self.labels = self.images[order], self.labels[order]

    def next_batch(self, batch_size, fake_data=False, shuffle=True):
        """The next `batch_size` examples; a batch may run over an epoch's end."""
        # Only for DataSet.next_batch(fake_data).
        if fake_data:
            label = [1] + [0] * 9 if self._one_hot else 0
            return [[1] * 784] * batch_size, [label] * batch_size
        start = self._next
        # Head only for DataSet.next_batch(shuffle).
        if shuffle:
            if start == 0 and self.epochs_completed == 0:
                self._shuffle()
        if start + batch_size <= self.num_examples:
            self._next = start + batch_size
            return self.images[start : self._next], self.labels[start : self._next]
        self.epochs_completed += 1
        last = self.images[start:], self.labels[start:]
        # Head only for DataSet.next_batch(shuffle).
        if shuffle:
            self._shuffle()
        self._next = batch_size - len(last[0])
        first = self.images[: self._next], self.labels[: self._next]
        return tuple(np.concatenate(pair, axis=0) for pair in zip(last, first))


def _fetch(name, directory, source_url):
    path = os.path.join(directory, name)
    if not os.path.exists(path):
        os.makedirs(directory, exist_ok=True)
        # Beside the target first: an interrupted download must not pass for the file,
        # and several workers may download at once.
        with tempfile.TemporaryDirectory(dir=directory) as own:
            partial = os.path.join(own, name)
            urllib.request.urlretrieve(source_url + name, partial)
            os.replace(partial, path)
    return path


def _read(path, magic, dimensions):
    """An idx file's bytes as a uint8 array of the given number of dimensions."""
    with gzip.open(path) as stream:
        header = np.frombuffer(stream.read(4 * (1 + dimensions)), ">u4")
        if header[0] != magic:
            raise ValueError(f"{path}: magic number {header[0]}, expected {magic}")
        shape = tuple(int(n) for n in header[1:])
        data = np.frombuffer(stream.read(int(np.prod(shape))), np.uint8)
    return data.reshape(shape)


def read_data_sets(
    train_dir,
    fake_data=False,
    one_hot=False,
    dtype=tf.float32,
    reshape=True,
    validation_size=5000,
    seed=None,
    source_url=DEFAULT_SOURCE_URL,
):
    """MNIST as (train, validation, test); downloads the files that are missing."""
    # Only for read_data_sets(fake_data).
    if fake_data:
        return Datasets(
            *[DataSet([], [], True, one_hot, dtype, seed=seed) for _ in range(3)]
        )
    source = DEFAULT_SOURCE_URL
    # Only for read_data_sets(source_url).
    source = source_url or source
    arrays = []
    for prefix in ("train", "t10k"):
        images = _fetch(f"{prefix}-images-idx3-ubyte.gz", train_dir, source)
        labels = _fetch(f"{prefix}-labels-idx1-ubyte.gz", train_dir, source)
        pixels = _read(images, 2051, 3)[..., np.newaxis]
        digits = _read(labels, 2049, 1)
        arrays.append((pixels, np.eye(10)[digits] if one_hot else digits))
    (images, labels), test = arrays
    if not 0 <= validation_size <= len(images):
        raise ValueError(f"validation_size must be between 0 and {len(images)}")
    parts = [
        (images[validation_size:], labels[validation_size:]),
        (images[:validation_size], labels[:validation_size]),
        test,
    ]
    return Datasets(
        *[
            DataSet(images, labels, dtype=dtype, reshape=reshape, seed=seed)
            for images, labels in parts
        ]
    )


def load_mnist(train_dir="MNIST-data"):
    """MNIST with the defaults of `read_data_sets`."""
    return read_data_sets(train_dir)
