"""The accumulators are made in a module beside; the program has only the loops."""
import os

import numpy as np
import tensorflow as tf

from accumulate import make_accumulation

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_string("dir", "", "Where the log goes.")
flags.DEFINE_integer("accumulate", 3, "How many batches make one update.")


def main(unused_argv):
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.placeholder(tf.float32, [None, 1])
    w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.2))
    b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
    optimizer = tf.train.MomentumOptimizer(0.05, 0.9)
    zero_op, accum_op, train_op = make_accumulation(optimizer, loss)
    rng = np.random.RandomState(7)
    log = open(os.path.join(FLAGS.dir, "loss.0"), "w")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(5):
            sess.run(zero_op)
            for _ in range(FLAGS.accumulate):
                data = rng.rand(4, 3)
                value, _ = sess.run([loss, accum_op], {x: data, y: data.sum(1, keepdims=True)})
                log.write("%d %r\n" % (step, float(value)))
            sess.run(train_op)
        log.write("5 %r\n" % float(sess.run(w).sum()))
    log.close()


if __name__ == "__main__":
    tf.app.run()
