"""Batches of a TF1 MNIST reader (Python 3.7): python tf1_mnist.py CASES.json OUT.npz"""

import json
import sys

import numpy as np


def batches(reader, directory, case):
    """Images and labels that a reader serves in one case, concatenated per call."""
    if case.get("graph_seed") is not None:
        import tensorflow as tf

        tf.compat.v1.set_random_seed(case["graph_seed"])
    arguments = dict(case["arguments"])
    sets = reader(directory, **arguments)
    if case.get("numpy_seed") is not None:
        np.random.seed(case["numpy_seed"])
    images, labels = [], []
    for split, size, options in case["calls"]:
        x, y = getattr(sets, split).next_batch(size, **options)
        images.append(np.asarray(x, np.float64).reshape(len(x), -1))
        labels.append(np.asarray(y, np.float64).reshape(len(y), -1))
    return np.concatenate(images), np.concatenate(labels)


if __name__ == "__main__":
    import tensorflow as tf
    from tensorflow.contrib.learn.python.learn.datasets import mnist
    from tensorflow.examples.tutorials.mnist import input_data

    given = json.load(open(sys.argv[1]))
    readers = {"tutorial": input_data.read_data_sets, "contrib": mnist.read_data_sets}
    out = {}
    for name, case in given["cases"].items():
        tf.compat.v1.reset_default_graph()
        for kind, reader in readers.items():
            x, y = batches(reader, given["directory"], case)
            out["%s/%s/x" % (name, kind)], out["%s/%s/y" % (name, kind)] = x, y
    np.savez(sys.argv[2], **out)
