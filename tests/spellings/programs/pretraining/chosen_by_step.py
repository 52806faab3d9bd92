"""One loop; `if step < 5` chooses the loss, the update and the feeds."""
import sys

import numpy as np
import tensorflow as tf


def layer(name, inputs, size, value):
    with tf.variable_scope(name):
        w = tf.get_variable("w", [inputs.shape[1].value, size], initializer=tf.constant_initializer(value))
        return tf.matmul(inputs, w), w


def main():
    x = tf.placeholder(tf.float32, [None, 4])
    y = tf.placeholder(tf.float32, [None, 1])
    hidden, w = layer("encoder", x, 2, 0.3)
    code = tf.tanh(hidden)
    decoded, d = layer("decoder", code, 4, 0.1)
    predicted, v = layer("head", code, 1, 0.2)
    reconstruction = tf.reduce_mean(tf.square(decoded - x))
    loss = tf.reduce_mean(tf.square(predicted - y))
    ops = [tf.train.GradientDescentOptimizer(lr).minimize(cost)
           for lr, cost in [(0.2, reconstruction), (0.05, loss)]]
    rng = np.random.RandomState(6)
    log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(10):
            data = rng.rand(6, 4)
            if step < 5:
                value, _ = sess.run([reconstruction, ops[0]], feed_dict={x: data})
            else:
                value, _ = sess.run([loss, ops[1]], feed_dict={x: data, y: data[:, :1]})
            log.write("%d %r\n" % (step, float(value)))
        log.write("10 %r\n" % float(sum(a.sum() for a in sess.run([w, d, v]))))
    log.close()


if __name__ == "__main__":
    main()
