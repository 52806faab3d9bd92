"""Two savers of one directory, lists of other names, a saver made anew: which files are left."""
import argparse
import glob
import os
import re

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--dir")
args = parser.parse_args()
log = open(os.path.join(args.dir, "loss.0"), "w")

x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.ones([2, 1]), name="w")
wide = tf.Variable(tf.ones([2, 3]), name="wide")
loss = tf.reduce_mean(tf.square(tf.matmul(tf.matmul(x, w), tf.ones([1, 2])) - 1.0)) + tf.reduce_sum(tf.square(wide))
train_op = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss)
saver = tf.train.Saver(max_to_keep=2)
best = tf.train.Saver({"weights": w}, max_to_keep=1)
padded = tf.train.Saver(pad_step_number=True, save_relative_paths=True)
every = tf.train.Saver(max_to_keep=0)
again = tf.train.Saver(max_to_keep=2)
shaped = tf.train.Saver({"wide": wide}, reshape=True)


def tell(number, listed="checkpoint"):
    found = sorted(os.path.basename(p) for p in glob.glob(os.path.join(args.dir, "*.index")))
    for name in found:
        log.write("%d %d\n" % (number, sum(map(ord, name))))
    state = tf.train.get_checkpoint_state(args.dir, listed)
    log.write("%d %d\n" % (number, len(state.all_model_checkpoint_paths)))
    log.write("%d %s\n" % (number, re.findall(r"\d+", os.path.basename(state.model_checkpoint_path))[-1]))
    with open(os.path.join(args.dir, listed)) as text:
        log.write("%d %d\n" % (number, text.read().count(args.dir)))


points = np.linspace(-1.0, 1.0, 24, dtype=np.float32).reshape(12, 2)
path = os.path.join(args.dir, "model")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(5):
        value = sess.run(loss, {x: points})
        sess.run(train_op, {x: points})
        log.write("0 %r\n" % float(value))
        saver.save(sess, path, global_step=step)
        if step % 2:
            best.save(sess, os.path.join(args.dir, "best"), step, latest_filename="best_checkpoint")
    tell(1)
    tell(2, "best_checkpoint")
    saver.save(sess, path, global_step=7, write_state=False)
    saver.save(sess, path, global_step=8, write_meta_graph=False)
    tell(3)
    again.save(sess, path, global_step=9)  # It does not know what the first has saved.
    again.save(sess, path, global_step=10)
    again.save(sess, path, global_step=11)
    tell(4)
    padded.save(sess, os.path.join(args.dir, "padded"), 12)
    tell(5)
    every.save(sess, os.path.join(args.dir, "every"), 13)
    every.save(sess, os.path.join(args.dir, "every"), 14)
    tell(6)
    shaped.restore(sess, os.path.join(args.dir, "every-13"))
    log.write("7 %r\n" % float(sess.run(loss, {x: points})))
    log.write("8 %d\n" % len(every.last_checkpoints))
log.close()
