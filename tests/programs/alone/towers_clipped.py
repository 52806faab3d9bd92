"""Towers at module level: slices of the batch, reuse flags, averages clipped by norm."""
import sys

import numpy as np
import tensorflow as tf

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
num_gpus = 3
batch_size = 5


def network(x, reuse):
    with tf.variable_scope("Net", reuse=reuse):
        h = tf.layers.dense(x, 4, activation=tf.nn.tanh,
                            kernel_initializer=tf.constant_initializer(0.2))
        return tf.layers.dense(h, 1, kernel_initializer=tf.constant_initializer(0.3))


def average_gradients(tower_grads):
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grads = []
        for g, _ in grad_and_vars:
            # Add 0 dimension to the gradients to represent the tower.
            expanded_g = tf.expand_dims(g, 0)
            grads.append(expanded_g)
        grad = tf.concat(grads, 0)
        grad = tf.reduce_mean(grad, 0)
        v = grad_and_vars[0][1]
        average_grads.append((grad, v))
    return average_grads


with tf.device("/cpu:0"):
    tower_grads = []
    reuse_vars = False
    X = tf.placeholder(tf.float32, [None, 6])
    Y = tf.placeholder(tf.float32, [None, 1])
    optimizer = tf.train.AdamOptimizer(learning_rate=0.01)
    for i in range(num_gpus):
        with tf.device("/gpu:{}".format(i)):
            # Split data between GPUs
            _x = X[i * batch_size: (i + 1) * batch_size]
            _y = Y[i * batch_size: (i + 1) * batch_size]
            prediction = network(_x, reuse_vars)
            loss_op = tf.reduce_mean(tf.abs(prediction - _y))
            grads = optimizer.compute_gradients(loss_op)
            # Only the first shows its error.
            if i == 0:
                error = tf.reduce_max(tf.abs(prediction - _y))
            reuse_vars = True
            tower_grads.append(grads)

    tower_grads = average_gradients(tower_grads)
    clipped = [(tf.clip_by_norm(g, 0.4), v) for g, v in tower_grads]
    train_op = optimizer.apply_gradients(clipped)
    init = tf.global_variables_initializer()

    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        sess.run(init)
        rng = np.random.RandomState(0)
        for step in range(1, 13):
            xs = rng.randn(num_gpus * batch_size, 6)
            feed = {X: xs, Y: xs.sum(1, keepdims=True)}
            sess.run(train_op, feed_dict=feed)
            loss, worst = sess.run([loss_op, error], feed_dict=feed)
            log.write("%d %r\n" % (step, float(loss)))
            log.write("%d %r\n" % (step, float(worst)))
log.close()
