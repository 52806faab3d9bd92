"""A model in a class; a helper that is given the session; a session without a name."""
import argparse
import os

import numpy as np
import tensorflow as tf

class Model(object):
    def __init__(self, rate):
        self.rate = rate
        self.x = tf.placeholder(tf.float32, [None, 5], name="x")
        self.y = tf.placeholder(tf.float32, [None], name="y")
        self._build()

    def _build(self):
        w = tf.get_variable("w", [5], initializer=tf.constant_initializer(0.2))
        prediction = tf.reduce_sum(self.x * w, 1)
        self.loss = tf.losses.huber_loss(self.y, prediction)
        self.train_op = tf.train.FtrlOptimizer(self.rate).minimize(self.loss)

def one_epoch(sess, model, rng, log):
    pass

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dir")
    args = parser.parse_args()
    log = open(os.path.join(args.dir, "loss.0"), "w")
    rng = np.random.RandomState(0)
    model = Model(0.5)
    saver = tf.train.Saver()
    with tf.Session() as sess:
        tf.global_variables_initializer().run()
        for epoch in range(3):
            one_epoch(sess, model, rng, log)
        saver.save(sess, os.path.join(args.dir, "model"))
    log.close()

if __name__ == "__main__":
    main()
