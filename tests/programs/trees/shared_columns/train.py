"""Clicks: the program says which columns its model has, and another file makes them."""
import sys

import numpy as np
import tensorflow as tf

from click_columns import click_columns
from click_model import model_fn


def clicks(first):
    rng = np.random.RandomState(first)
    users, items = rng.randint(0, 9, 32), rng.randint(0, 9, 32)
    features = {"user": ["u%d" % u for u in users], "item": ["u%d" % i for i in items],
                "price": rng.rand(32).astype(np.float32)}
    labels = (users > items).astype(np.float32)[:, None]
    return tf.data.Dataset.from_tensor_slices((features, labels)).batch(8)


def main(directory):
    estimator = tf.estimator.Estimator(
        model_fn, directory + "/model", params={"columns": click_columns(3)})
    with open(directory + "/loss.0", "w") as log:
        for epoch in range(6):
            estimator.train(lambda: clicks(epoch))
            found = estimator.evaluate(lambda: clicks(9))
            log.write("%d %r\n" % (found["global_step"], float(found["loss"])))
        for name in sorted(estimator.get_variable_names()):
            if name.endswith(("embedding_weights", "embedding_weights/Adagrad", "bias")):
                value = estimator.get_variable_value(name)
                log.write("%d %r\n" % (value.size, float(np.abs(value).mean())))
                log.write("%d %r\n" % (value.size, float(value.flat[0])))


if __name__ == "__main__":
    main(sys.argv[1].split("=")[1])
