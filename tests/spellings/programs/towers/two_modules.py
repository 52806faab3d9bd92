"""The model and the average are in a module beside; flags and tf.app.run."""
import os

import numpy as np
import tensorflow as tf

import tower_utils

FLAGS = tf.app.flags.FLAGS
tf.app.flags.DEFINE_string("dir", "", "Where the log goes.")
tf.app.flags.DEFINE_integer("num_gpus", 2, "How many towers.")


def main(_):
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.placeholder(tf.float32, [None, 1])
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    image_splits = tf.split(x, FLAGS.num_gpus)
    label_splits = tf.split(y, FLAGS.num_gpus)
    tower_grads = []
    tower_losses = []
    for i in range(FLAGS.num_gpus):
        with tf.device("/gpu:%d" % i):
            loss = tower_utils.tower_loss(image_splits[i], label_splits[i], reuse=i != 0)
        tower_losses.append(loss)
        tower_grads.append(optimizer.compute_gradients(loss))
    train_op = optimizer.apply_gradients(tower_utils.average(tower_grads))
    mean_loss = tf.reduce_mean(tf.stack(tower_losses))
    weights = [v for v in tf.trainable_variables() if v.op.name == "net/w"][0]

    rng = np.random.RandomState(0)
    log = open(os.path.join(FLAGS.dir, "loss.0"), "w")
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(10):
            data = rng.rand(8, 3)
            _, value = sess.run([train_op, mean_loss],
                                feed_dict={x: data, y: data.sum(1, keepdims=True)})
            log.write("%d %r\n" % (step, float(value)))
        log.write("10 %r\n" % float(sess.run(weights).sum()))
    log.close()


if __name__ == "__main__":
    tf.app.run()
