"""Two objects of a class with is_training True and False; scopes with reuse around them."""
import sys

import numpy as np
import tensorflow as tf


class Model(object):
    def __init__(self, is_training, config):
        self.is_training = is_training
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.y = tf.placeholder(tf.float32, [None, 1])
        w = tf.get_variable("w", [3, config["size"]])
        v = tf.get_variable("v", [config["size"], 1], initializer=tf.constant_initializer(-0.1))
        hidden = tf.tanh(tf.matmul(self.x, w))
        if is_training:
            hidden = hidden * config["keep"]
        self.loss = tf.reduce_mean(tf.square(tf.matmul(hidden, v) - self.y))
        if not is_training:
            return
        self.train_op = tf.train.GradientDescentOptimizer(config["lr"]).minimize(self.loss)


def main():
    config = {"size": 2, "lr": 0.2, "keep": 0.5}
    initializer = tf.constant_initializer(0.4)
    with tf.variable_scope("model", reuse=None, initializer=initializer):
        train = Model(True, config)
    with tf.variable_scope("model", reuse=True, initializer=initializer):
        test = Model(False, config)
    rng = np.random.RandomState(5)
    with tf.Session() as sess, open(sys.argv[1].split("=")[1] + "/loss.0", "w") as log:
        sess.run(tf.global_variables_initializer())
        for step in range(6):
            data = rng.rand(5, 3)
            value, _ = sess.run([train.loss, train.train_op], {train.x: data, train.y: data[:, :1]})
            log.write("%d %r\n" % (step, float(value)))
            value = sess.run(test.loss, {test.x: data, test.y: data[:, :1]})
            log.write("%d %r\n" % (step, float(value)))
        log.write("6 %r\n" % float(sum(v.sum() for v in sess.run(tf.trainable_variables()))))


if __name__ == "__main__":
    main()
