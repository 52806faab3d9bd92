"""A MonitoredTrainingSession without a server, with hooks and a dataset."""
import sys

import numpy as np
import tensorflow as tf


def main(directory):
    log = open(directory + "/loss.0", "w")
    rng = np.random.RandomState(0)
    xs = rng.randn(40, 5).astype(np.float32)
    ys = xs.sum(1, keepdims=True)
    batches = tf.data.Dataset.from_tensor_slices((xs, ys)).repeat().batch(8)
    x, y = batches.make_one_shot_iterator().get_next()
    w = tf.get_variable("w", [5, 1], initializer=tf.constant_initializer(0.5))
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
    global_step = tf.train.get_or_create_global_step()
    train_op = tf.train.AdagradOptimizer(0.1).minimize(loss, global_step=global_step)
    hooks = [tf.train.StopAtStepHook(last_step=15)]
    with tf.train.MonitoredTrainingSession(checkpoint_dir=directory, hooks=hooks) as sess:
        while not sess.should_stop():
            _, value = sess.run([train_op, loss])
            log.write("0 %r\n" % float(value))
    log.close()


main(sys.argv[1].split("=")[1])
