"""Comprehensions make the towers, their gradients and the average; the tower is a function."""
import sys

import numpy as np
import tensorflow as tf

NUM_TOWERS = 2


def tower_loss(device, images, labels):
    with tf.device(device), tf.variable_scope("net", reuse=tf.AUTO_REUSE):
        w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.3))
        b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
        return tf.reduce_mean(tf.square(tf.matmul(images, w) + b - labels))


def main():
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.placeholder(tf.float32, [None, 1])
    devices = ["/gpu:{}".format(i) for i in range(NUM_TOWERS)]
    losses = [tower_loss(*args) for args in zip(devices, tf.split(x, NUM_TOWERS), tf.split(y, NUM_TOWERS))]
    opt = tf.train.GradientDescentOptimizer(learning_rate=0.1)
    grads = [opt.compute_gradients(loss) for loss in losses]
    averaged = [(sum(g for g, _ in pairs) / NUM_TOWERS, pairs[0][1]) for pairs in zip(*grads)]
    train_op = opt.apply_gradients(averaged)
    loss = tf.reduce_mean(losses)
    rng = np.random.RandomState(0)
    config = tf.ConfigProto(allow_soft_placement=True)
    with open(sys.argv[1].split("=")[1] + "/loss.0", "w") as log, tf.Session(config=config) as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(10):
            data = rng.rand(8, 3)
            _, value = sess.run([train_op, loss], feed_dict={x: data, y: data.sum(1, keepdims=True)})
            log.write("%d %r\n" % (step, float(value)))
        with tf.variable_scope("net", reuse=True):
            w = tf.get_variable("w")
        log.write("10 %r\n" % float(sess.run(w).sum()))


if __name__ == "__main__":
    main()
