"""A trainer that keeps its Supervisor: made where the trainer is, used where it trains."""
import os
import sys

import numpy as np
import tensorflow as tf


class Model(object):
    def __init__(self, rate):
        self.rate = rate
        self.x = tf.placeholder(tf.float32, [None, 3], name="x")
        self.y = tf.placeholder(tf.float32, [None, 1], name="y")
        self._build()

    def _build(self):
        with tf.variable_scope("model"):
            w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer([[0.1], [-0.2], [0.3]]))
            b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
            prediction = tf.matmul(self.x, w) + b
        self.loss = tf.reduce_mean(tf.square(prediction - self.y))
        self.global_step = tf.train.get_or_create_global_step()
        self.train_op = tf.train.AdagradOptimizer(self.rate).minimize(
            self.loss, global_step=self.global_step)
        tf.summary.scalar("loss", self.loss)
        self.summary = tf.summary.merge_all()


class Trainer(object):
    """Trains a model under a Supervisor."""

    def __init__(self, model, logdir):
        self.model = model
        self.train_dir = logdir
        self.rng = np.random.RandomState(4)
        self._sv = tf.train.Supervisor(
            logdir=logdir, is_chief=True, global_step=model.global_step, summary_op=None,
            save_model_secs=600)

    def batch(self, size=8):
        x = self.rng.rand(size, 3)
        return x, x.sum(1, keepdims=True)

    def train(self, steps, log):
        """Trains so many steps, wherever an earlier training ended."""
        with self._sv.managed_session() as sess:
            step = sess.run(self.model.global_step)
            while not self._sv.should_stop() and step < steps:
                x, y = self.batch()
                feed = {self.model.x: x, self.model.y: y}
                _, loss, step = sess.run(
                    [self.model.train_op, self.model.loss, self.model.global_step], feed_dict=feed)
                log.write("%d %r\n" % (step, float(loss)))
                if step % 4 == 0:
                    self._sv.summary_computed(sess, sess.run(self.model.summary, feed_dict=feed))
            self._sv.saver.save(sess, self._sv.save_path, global_step=self.model.global_step)
        log.write("%d %r\n" % (step, 0.0))


directory = sys.argv[1].split("=")[1]
log = open(os.path.join(directory, "loss.0"), "w")
model = Model(0.5)
trainer = Trainer(model, os.path.join(directory, "train"))
trainer.train(10, log)
log.write("%d %r\n" % (int(os.path.exists(os.path.join(directory, "train", "model.ckpt-10.index"))), 0.0))
log.close()
