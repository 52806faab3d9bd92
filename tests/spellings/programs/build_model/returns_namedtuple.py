"""A namedtuple holds what build_model returns; the model is given as a lambda."""
import collections
import sys

import numpy as np
import tensorflow as tf

Model = collections.namedtuple("Model", "inputs targets loss train_op global_step variables")


def build_model(network):
    inputs = tf.placeholder(tf.float32, [None, 3])
    targets = tf.placeholder(tf.float32, [None, 1])
    with tf.variable_scope("model"):
        w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.2))
        b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
        loss = tf.reduce_mean(tf.square(network(inputs, w, b) - targets))
    global_step = tf.Variable(0, trainable=False, name="global_step")
    optimizer = tf.train.MomentumOptimizer(0.05, 0.9)
    train_op = optimizer.minimize(loss, global_step=global_step)
    return Model(inputs, targets, loss, train_op, global_step, [w, b])


def main():
    model = build_model(lambda x, w, b: tf.matmul(x, w) + b)
    rng = np.random.RandomState(1)
    log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for i in range(8):
            data = rng.rand(6, 3)
            value, _ = sess.run([model.loss, model.train_op],
                                {model.inputs: data, model.targets: data.sum(1, keepdims=True)})
            log.write("%d %r\n" % (i, float(value)))
        for value in sess.run(model.variables):
            log.write("8 %r\n" % float(value.sum()))
        log.write("8 %r\n" % float(sess.run(model.global_step)))
    log.close()


main()
