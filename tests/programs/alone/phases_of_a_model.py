"""Phases of training by name: a dict of a model's operations, and a table of phases."""
import sys

import numpy as np
import tensorflow as tf


class Regression(object):

    def __init__(self, size):
        self.inputs = tf.placeholder(tf.float32, [None, size])
        self.targets = tf.placeholder(tf.float32, [None])
        hidden = tf.layers.dense(
            self.inputs, 4, activation=tf.tanh, name="hidden",
            kernel_initializer=tf.constant_initializer(0.2))
        output = tf.layers.dense(
            hidden, 1, name="output", kernel_initializer=tf.constant_initializer(0.3))
        self.loss = tf.reduce_mean(tf.square(tf.squeeze(output, 1) - self.targets))
        variables = tf.trainable_variables()
        last = [v for v in variables if v.name.startswith("output")]
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        self.train_last = optimizer.minimize(self.loss, var_list=last)
        self.train_all = optimizer.minimize(self.loss)


def main():
    rng = np.random.RandomState(9)
    points = rng.rand(40, 3).astype(np.float32)
    values = points.sum(1)
    model = Regression(3)
    train_last = model.train_last
    train_all = model.train_all
    loss = model.loss
    phases = {"last": train_last, "all": train_all}
    log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        line = 0
        for name in ["last", "all", "last"]:
            for start in range(0, 40, 10):
                feed = {model.inputs: points[start:start + 10],
                        model.targets: values[start:start + 10]}
                _, value = sess.run([phases[name], loss], feed_dict=feed)
                log.write("%d %r\n" % (line, float(value)))
                line += 1
        for title, operation, steps in [("warm", train_last, 2), ("whole", train_all, 3)]:
            for step in range(steps):
                sess.run(operation, {model.inputs: points, model.targets: values})
                value = sess.run(loss, {model.inputs: points, model.targets: values})
                log.write("%d %r\n" % (line, float(value) + len(title)))
                line += 1
    log.close()


if __name__ == "__main__":
    main()
