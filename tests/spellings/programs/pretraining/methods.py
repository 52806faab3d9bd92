"""A class with methods pretrain and finetune that use the session of the object."""
import argparse

import numpy as np
import tensorflow as tf


class AutoEncoder(object):
    def __init__(self, sess):
        self.sess = sess
        self.x = tf.placeholder(tf.float32, [None, 4])
        self.y = tf.placeholder(tf.float32, [None, 1])
        self.w = tf.get_variable("w", [4, 2], initializer=tf.constant_initializer(0.3))
        self.d = tf.get_variable("d", [2, 4], initializer=tf.constant_initializer(0.1))
        self.v = tf.get_variable("v", [2, 1], initializer=tf.constant_initializer(0.2))
        code = tf.tanh(tf.matmul(self.x, self.w))
        self.reconstruction = tf.reduce_mean(tf.square(tf.matmul(code, self.d) - self.x))
        self.loss = tf.reduce_mean(tf.square(tf.matmul(code, self.v) - self.y))
        self.pretrain_op = tf.train.GradientDescentOptimizer(0.2).minimize(
            self.reconstruction, var_list=[self.w, self.d])
        self.finetune_op = tf.train.GradientDescentOptimizer(0.05).minimize(
            self.loss, var_list=[self.w, self.v])
        self.sess.run(tf.global_variables_initializer())

    def pretrain(self, rng, steps, log):
        for step in range(steps):
            value, _ = self.sess.run([self.reconstruction, self.pretrain_op], {self.x: rng.rand(6, 4)})
            log.write("%d %r\n" % (step, float(value)))

    def finetune(self, rng, steps, log):
        for step in range(steps):
            data = rng.rand(6, 4)
            feed = {self.x: data, self.y: data[:, :1]}
            value, _ = self.sess.run([self.loss, self.finetune_op], feed_dict=feed)
            log.write("%d %r\n" % (step + steps, float(value)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--dir")
    args = parser.parse_args()
    rng = np.random.RandomState(6)
    with tf.Session() as sess, open(args.dir + "/loss.0", "w") as log:
        model = AutoEncoder(sess)
        model.pretrain(rng, 5, log)
        model.finetune(rng, 5, log)
        log.write("10 %r\n" % float(sum(a.sum() for a in sess.run([model.w, model.d, model.v]))))
