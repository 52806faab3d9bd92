"""Data sets that programs download: made here instead, in the same formats."""

import gzip
import os
import struct

import numpy as np


def _images(random, count, size=28):
    labels = random.randint(0, 10, count).astype(np.uint8)
    images = random.randint(0, 60, (count, size, size))
    for image, label in zip(images, labels):
        row, column = 4 + 10 * (label // 5), 1 + 5 * (label % 5)
        image[row : row + 8, column : column + 6] += 150
    return images.astype(np.uint8), labels


def make_mnist(directory, train=6500, test=1000):
    """The four files of MNIST: a patch of light for each digit, in noise."""
    random = np.random.RandomState(7)
    for name, count in (("train", train), ("t10k", test)):
        images, labels = _images(random, count)
        for kind, values in (("images-idx3", images), ("labels-idx1", labels)):
            head = struct.pack(">BBBB", 0, 0, 8, values.ndim)
            head += struct.pack(">%dI" % values.ndim, *values.shape)
            path = os.path.join(directory, "%s-%s-ubyte.gz" % (name, kind))
            with gzip.open(path, "wb", compresslevel=1) as file:
                file.write(head + values.tobytes())


def install(made):
    """Makes data instead of downloading it; `made` gets the names."""
    from tensorflow.contrib.learn.python.learn.datasets import base
    from tensorflow.python import keras

    def maybe_download(filename, work_directory, source_url):
        path = os.path.join(work_directory, filename)
        if not os.path.exists(path):
            if "ubyte" not in filename:
                raise OSError("nobody makes %s" % filename)
            made.append(filename)
            if not os.path.exists(work_directory):
                os.makedirs(work_directory)
            make_mnist(work_directory)
        return path

    base.maybe_download = maybe_download

    def load_mnist(path="mnist.npz"):
        made.append(path)
        random = np.random.RandomState(7)
        return _images(random, 6500), _images(random, 1000)

    def load_cifar(*args, **kwargs):
        made.append("cifar")
        random = np.random.RandomState(7)
        pairs = []
        for count in (5000, 1000):
            images = random.randint(0, 255, (count, 32, 32, 3)).astype(np.uint8)
            pairs.append((images, random.randint(0, 10, (count, 1)).astype(np.uint8)))
        return tuple(pairs)

    keras.datasets.mnist.load_data = load_mnist
    keras.datasets.fashion_mnist.load_data = load_mnist
    keras.datasets.cifar10.load_data = load_cifar
    keras.datasets.cifar100.load_data = load_cifar
