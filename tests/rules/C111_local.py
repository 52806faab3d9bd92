"""Towers at module level: slices of the batch, reuse flags, averages clipped by norm."""
import sys

import numpy as np
import tensorflow as tf

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
num_gpus = 3
batch_size = 5

with tf.device("/cpu:0"):
    tower_grads = []
    reuse_vars = False
    X = tf.placeholder(tf.float32, [None, 6])
    Y = tf.placeholder(tf.float32, [None, 1])
    optimizer = tf.train.AdamOptimizer(learning_rate=0.01)

    tower_grads = average_gradients(tower_grads)
    clipped = [(tf.clip_by_norm(g, 0.4), v) for g, v in tower_grads]
    train_op = optimizer.apply_gradients(clipped)
    init = tf.global_variables_initializer()

    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        sess.run(init)
        rng = np.random.RandomState(0)
log.close()
