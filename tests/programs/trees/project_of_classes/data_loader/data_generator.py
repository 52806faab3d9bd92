import numpy as np


class DataGenerator(object):
    def __init__(self, config):
        self.config = config
        rng = np.random.RandomState(3)
        self.input = rng.randn(100, 4)
        self.y = np.eye(3)[np.argmax(self.input[:, :3], 1)]
        self.rng = rng

    def next_batch(self, batch_size):
        idx = self.rng.choice(100, batch_size)
        yield self.input[idx], self.y[idx]
