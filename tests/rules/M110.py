"""A session in a function: restores if it can, saves, writes summaries; fetched step."""
import argparse
import os

import numpy as np
import tensorflow as tf

def train(args):
    log = open(os.path.join(args.dir, "loss.0"), "w")
    with tf.Graph().as_default():
        global_step = tf.Variable(0, name="global_step", trainable=False)
        x = tf.placeholder(tf.float32, [None, 5])
        y = tf.placeholder(tf.float32, [None, 1])
        loss = tf.losses.mean_squared_error(y, model(x))
        rate = tf.train.exponential_decay(0.05, global_step, 5, 0.9)
        train_op = tf.train.MomentumOptimizer(rate, 0.9).minimize(
            loss, global_step=global_step)
        tf.summary.scalar("loss", loss)
        merged = tf.summary.merge_all()
        saver = tf.train.Saver(max_to_keep=2)
        config = tf.ConfigProto(allow_soft_placement=True)
        config.gpu_options.allow_growth = True
        with tf.Session(config=config) as sess:
            writer = tf.summary.FileWriter(args.dir, sess.graph)
            ckpt = tf.train.get_checkpoint_state(args.dir)
            rng = np.random.RandomState(sess.run(global_step))
            for i in range(10):
                xs = rng.randn(10, 5)
                feed = {x: xs, y: xs.sum(1, keepdims=True)}
                _, value, summary, step = sess.run(
                    [train_op, loss, merged, global_step], feed)
                writer.add_summary(summary, step)
                log.write("%d %r\n" % (step, float(value)))
            writer.close()
    log.close()
