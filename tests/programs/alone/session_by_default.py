"""A trainer that opens its session if it is given none, and whose fetches are listed in steps."""
import sys

import numpy as np
import tensorflow as tf

out = sys.argv[1].split("=")[1]
log = open(out + "/loss.0", "w")


class Trainer(object):
    def __init__(self, sess=None, mode="train"):
        self.sess = sess or tf.Session()
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.4))
        self.loss = tf.reduce_mean(tf.square(tf.matmul(self.x, self.w) - 1))
        if mode == "train":
            self.rate = 0.2
        else:
            self.rate = 0.0
        self.train_op = tf.train.GradientDescentOptimizer(self.rate).minimize(self.loss)
        self.sess.run(tf.global_variables_initializer())

    def step(self, batch, training):
        fetches = {"loss": self.loss}
        if training:
            fetches.update({"update": self.train_op})
        return self.sess.run(fetches, feed_dict={self.x: batch})["loss"]


trainer = Trainer()
draws = np.random.RandomState(9)
for i in range(4):
    batch = draws.rand(4, 3)
    log.write("%d %r\n" % (2 * i, float(trainer.step(batch, True))))
    log.write("%d %r\n" % (2 * i + 1, float(trainer.step(batch, False))))
log.close()
