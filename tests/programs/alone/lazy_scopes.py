"""A model whose properties build their part of the graph once, in a scope of their name."""
import functools
import sys

import numpy as np
import tensorflow as tf


def doublewrap(function):
    """Lets a decorator be used without parentheses where it is given nothing."""

    @functools.wraps(function)
    def decorator(*args, **kwargs):
        if len(args) == 1 and len(kwargs) == 0 and callable(args[0]):
            return function(args[0])
        else:
            return lambda wrapee: function(wrapee, *args, **kwargs)

    return decorator


@doublewrap
def define_scope(function, scope=None, *args, **kwargs):
    """The operations are added when the property is first read, under its name."""
    attribute = "_cache_" + function.__name__
    name = scope or function.__name__

    @property
    @functools.wraps(function)
    def decorator(self):
        if not hasattr(self, attribute):
            with tf.variable_scope(name, *args, **kwargs):
                setattr(self, attribute, function(self))
        return getattr(self, attribute)

    return decorator


class Model:

    def __init__(self, image, label):
        self.image = image
        self.label = label
        self.prediction
        self.optimize
        self.error

    @define_scope(initializer=tf.random_uniform_initializer(-0.2, 0.2, seed=2))
    def prediction(self):
        x = self.image
        kernel = tf.get_variable("kernel", [8, 6])
        x = tf.nn.relu(tf.matmul(x, kernel))
        softmax = tf.get_variable("softmax", [6, 3])
        return tf.nn.softmax(tf.matmul(x, softmax))

    @define_scope
    def optimize(self):
        """Needs the loss, which is built within this scope."""
        optimizer = tf.train.RMSPropOptimizer(0.03)
        return optimizer.minimize(self.loss)

    @define_scope("entropy")
    def loss(self):
        scale = tf.get_variable("scale", [], initializer=tf.constant_initializer(1.0), trainable=False)
        logprob = tf.log(self.prediction + 1e-12)
        return -scale * tf.reduce_mean(tf.reduce_sum(self.label * logprob, 1))

    @define_scope
    def error(self):
        mistakes = tf.not_equal(tf.argmax(self.label, 1), tf.argmax(self.prediction, 1))
        return tf.reduce_mean(tf.cast(mistakes, tf.float32))


def main(directory):
    rng = np.random.RandomState(0)
    images = rng.randn(120, 8).astype(np.float32)
    labels = np.eye(3, dtype=np.float32)[np.argmax(images[:, 2:5], 1)]
    image = tf.placeholder(tf.float32, [None, 8])
    label = tf.placeholder(tf.float32, [None, 3])
    model = Model(image, label)
    saver = tf.train.Saver()
    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    with open(directory + "/loss.0", "w") as log:
        for epoch in range(4):
            error, loss = sess.run([model.error, model.loss], {image: images[100:], label: labels[100:]})
            log.write("%d %r\n" % (epoch, float(error)))
            log.write("%d %r\n" % (100 + epoch, float(loss)))
            for start in range(0, 100, 20):
                batch = slice(start, start + 20)
                sess.run(model.optimize, {image: images[batch], label: labels[batch]})
        path = saver.save(sess, directory + "/scales")
    kept = tf.train.load_checkpoint(path).get_variable_to_shape_map()
    with open(directory + "/loss.0", "a") as log:
        for index, name in enumerate(["prediction/kernel", "optimize/entropy/scale", "optimize/scale"]):
            log.write("%d %d\n" % (1000 + index, name in kept))
        log.write("%d %d\n" % (2000, len(kept)))


if __name__ == "__main__":
    main(sys.argv[1].split("=")[1])
