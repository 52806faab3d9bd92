"""A discriminator of layers without names: a scope that is entered again has the same ones."""
import sys

import numpy as np
import tensorflow as tf

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
keep = tf.placeholder_with_default(1.0, [])


class Networks(object):

    def __init__(self, width):
        self.width = width
        self.noise = tf.placeholder(tf.float32, [None, 3])
        self.image = tf.placeholder(tf.float32, [None, 2])
        self.made = self.generate(self.noise)
        self.real = self.judge(self.image)
        self.fake = self.judge(self.made, reuse=True)
        self.judged = tf.reduce_mean(tf.square(self.real - 1) + tf.square(self.fake))
        self.fooled = tf.reduce_mean(tf.square(self.fake - 1))
        names = {v.name.split("/")[0] for v in tf.trainable_variables()}
        assert names == {"generator", "judge"}
        self.train_judge = tf.train.AdamOptimizer(0.01).minimize(
            self.judged, var_list=tf.trainable_variables("judge"))
        self.train_generator = tf.train.AdamOptimizer(0.02).minimize(
            self.fooled, var_list=tf.trainable_variables("generator"))

    def generate(self, noise):
        with tf.variable_scope("generator"):
            return tf.layers.dense(noise, 2, tf.tanh, kernel_initializer=tf.constant_initializer(0.2))

    def judge(self, image, reuse=False):
        with tf.variable_scope("judge") as scope:
            if reuse:
                scope.reuse_variables()
            hidden = tf.layers.dense(image, self.width, tf.nn.sigmoid,
                                     kernel_initializer=tf.constant_initializer(0.3))
            hidden = tf.nn.dropout(hidden, keep)
            return tf.layers.dense(hidden, 1, kernel_initializer=tf.constant_initializer(-0.4))

    def train(self, sess):
        draws = np.random.RandomState(5)
        sess.run(tf.global_variables_initializer())
        for step in range(8):
            noise = draws.rand(4, 3)
            _, judged = sess.run([self.train_judge, self.judged],
                                 feed_dict={self.noise: noise, self.image: draws.rand(4, 2)})
            _, fooled = sess.run([self.train_generator, self.fooled], feed_dict={self.noise: noise})
            log.write("%d %r\n" % (step, float(judged)))
            log.write("%d %r\n" % (step, float(fooled)))


with tf.Session() as sess:
    networks = Networks(4)
    networks.train(sess)
log.close()
