"""eval() in sessions one after another; initialized_value, variables without a value."""
import argparse
import os

import numpy as np
import tensorflow as tf


def main(args):
    log = open(os.path.join(args.dir, "loss.0"), "w")
    tf.reset_default_graph()
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    y = tf.placeholder(tf.float32, [None, 1], name="y")
    w = tf.Variable(tf.ones([3, 1]) * 0.2, name="w")
    old = tf.Variable(w.initialized_value() * 2.0, trainable=False, name="old")
    count = tf.get_variable("count", [], dtype=tf.int32, trainable=False)
    counted = tf.assign_add(count, 1)
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
    change = tf.reduce_sum(tf.square(w - old))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    saver = tf.train.Saver()
    path = os.path.join(args.dir, "model.ckpt")
    rng = np.random.RandomState(0)
    xs = rng.randn(10, 3)
    ys = xs.sum(1, keepdims=True)
    with tf.Session() as sess:
        tf.global_variables_initializer().run()
        for _ in range(5):
            train_op.run({x: xs, y: ys})
            log.write("%d %r\n" % (counted.eval(), float(loss.eval({x: xs, y: ys}))))
        saver.save(sess, path)
    with tf.Session() as again:
        saver.restore(again, path)
        log.write("%d %r\n" % (count.eval(), float(change.eval())))
    third = tf.Session()
    saver.restore(third, path)
    train_op.run(feed_dict={x: xs, y: ys}, session=third)
    log.write("%d %r\n" % (count.eval(third), float(w.eval(session=third).sum())))
    third.close()
    log.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--dir")
    main(parser.parse_args())
