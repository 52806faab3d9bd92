import numpy as np


def in_batches(pairs, size, epochs):
    for epoch in range(epochs):
        order = np.random.RandomState(epoch).permutation(len(pairs))
        for first in range(0, len(pairs), size):
            yield [pairs[i] for i in order[first:first + size]]
