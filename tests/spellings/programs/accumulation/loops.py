"""Plain loops with append; the operations are grouped; everything is in main()."""
import argparse
import os

import numpy as np
import tensorflow as tf


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dir")
    parser.add_argument("--accumulate", type=int, default=3)
    args = parser.parse_args()
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.placeholder(tf.float32, [None, 1])
    w = tf.Variable(tf.fill([3, 1], 0.2))
    b = tf.Variable(tf.zeros([1]))
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
    optimizer = tf.train.MomentumOptimizer(0.05, 0.9)
    grads_and_vars = optimizer.compute_gradients(loss)
    accumulators, zero, add, pairs = [], [], [], []
    for grad, var in grads_and_vars:
        acc = tf.Variable(tf.zeros(var.get_shape()), trainable=False)
        accumulators.append(acc)
        zero.append(tf.assign(acc, tf.zeros(var.get_shape())))
        add.append(tf.assign_add(acc, grad))
        pairs.append((acc, var))
    zero_op = tf.group(*zero)
    accum_op = tf.group(*add)
    train_op = optimizer.apply_gradients(pairs)
    rng = np.random.RandomState(7)
    with tf.Session() as sess, open(os.path.join(args.dir, "loss.0"), "w") as log:
        sess.run(tf.global_variables_initializer())
        for step in range(5):
            sess.run(zero_op)
            for _ in range(args.accumulate):
                data = rng.rand(4, 3)
                _, value = sess.run([accum_op, loss], {x: data, y: data.sum(1, keepdims=True)})
                log.write("%d %r\n" % (step, float(value)))
            sess.run(train_op)
        log.write("5 %r\n" % float(sess.run(w).sum()))


if __name__ == "__main__":
    main()
