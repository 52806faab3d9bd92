"""A dict of accumulators by the variable's name; a generator expression for each operation."""
import sys

import numpy as np
import tensorflow as tf

out = sys.argv[1].split("=")[1]


def train(log):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 3])
        y = tf.placeholder(tf.float32, [None, 1])
        w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.2))
        b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
        opt = tf.train.MomentumOptimizer(learning_rate=0.05, momentum=0.9)
        grads = opt.compute_gradients(loss)
        sums = {v.name: tf.Variable(tf.zeros(v.shape), trainable=False, name=v.op.name + "/sum")
                for g, v in grads if g is not None}
        zero = tf.group(*(s.assign(tf.zeros(s.shape)) for s in sums.values()))
        accumulate = tf.group(*(sums[v.name].assign_add(g) for g, v in grads))
        apply = opt.apply_gradients((sums[v.name], v) for _, v in grads)
        rng = np.random.RandomState(7)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for step in range(5):
                zero.run()
                for _ in range(3):
                    data = rng.rand(4, 3)
                    feed = {x: data, y: data.sum(1, keepdims=True)}
                    log.write("%d %r\n" % (step, float(sess.run([loss, accumulate], feed)[0])))
                sess.run(apply)
            log.write("5 %r\n" % float(w.eval().sum()))


with open(out + "/loss.0", "w") as f:
    train(f)
