"""Towers whose parts of the batch differ in size; their outputs are put together."""
import argparse
import os

import numpy as np
import tensorflow as tf

def average(tower_grads):
    averaged = []
    for pairs in zip(*tower_grads):
        grads = tf.concat([tf.expand_dims(g, 0) for g, _ in pairs], 0)
        averaged.append((tf.reduce_mean(grads, 0), pairs[0][1]))
    return averaged

def main(args):
    log = open(os.path.join(args.dir, "loss.0"), "w")
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.placeholder(tf.float32, [None, 1])
    w = tf.get_variable("w", initializer=tf.constant([[0.1], [0.2], [0.3]]))
    opt = tf.train.AdagradOptimizer(0.1)
    xs = tf.split(x, [6, 2])
    ys = tf.split(y, [6, 2])
    tower_grads = []
    outputs = []
    for i in range(2):
        with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i):
            out = tf.matmul(xs[i], w)
            outputs.append(out)
            loss = tf.reduce_mean(tf.square(out - ys[i]))
            tower_grads.append(opt.compute_gradients(loss))
    train_op = opt.apply_gradients(average(tower_grads))
    both = tf.concat(outputs, 0)
    rng = np.random.RandomState(2)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        sess.run(tf.global_variables_initializer())
    log.close()
