"""A function returns the three operations; zip pairs the gradients with the accumulators."""
import sys

import numpy as np
import tensorflow as tf


def accumulation_ops(loss, opt):
    variables = tf.trainable_variables()
    grads = tf.gradients(loss, variables)
    with tf.variable_scope("accumulators"):
        sums = [tf.get_variable(v.op.name, v.shape, initializer=tf.zeros_initializer(), trainable=False)
                for v in variables]
    zero_ops = [s.initializer for s in sums]
    accum_ops = [tf.assign_add(s, g) for s, g in zip(sums, grads)]
    train_step = opt.apply_gradients(zip(sums, variables))
    return zero_ops, accum_ops, train_step


def main():
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.placeholder(tf.float32, [None, 1])
    w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.2))
    b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
    zero_ops, accum_ops, train_step = accumulation_ops(loss, tf.train.MomentumOptimizer(0.05, 0.9))
    rng = np.random.RandomState(7)
    log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(5):
            sess.run(zero_ops)
            for _ in range(3):
                data = rng.rand(4, 3)
                results = sess.run([loss] + accum_ops, {x: data, y: data.sum(1, keepdims=True)})
                log.write("%d %r\n" % (step, float(results[0])))
            sess.run(train_step)
        log.write("5 %r\n" % float(sess.run(w).sum()))
    log.close()


if __name__ == "__main__":
    main()
