"""A model class that trains or infers, and a function for each, with a graph of its own."""
import os
import sys

import numpy as np
import tensorflow as tf

out = sys.argv[1].split("=")[1]
log = open(out + "/loss.0", "w")


class Model(object):

    def __init__(self, num_classes, is_training=True):
        self.num_classes = num_classes
        self.x = tf.placeholder(tf.float32, [None, 4], name="x")
        self.y = tf.placeholder(tf.int64, [None], name="y")
        self.logits = self.inference(is_training)
        self.predictions = tf.argmax(self.logits, 1)
        if is_training:
            self.global_step = tf.train.get_or_create_global_step()
            self.loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=self.y, logits=self.logits))
            rate = tf.train.exponential_decay(0.5, self.global_step, 5, 0.9)
            self.train_op = tf.train.MomentumOptimizer(rate, 0.9).minimize(
                self.loss, global_step=self.global_step)
        else:
            correct = tf.equal(self.predictions, self.y)
            self.accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))

    def inference(self, is_training):
        with tf.variable_scope("hidden"):
            w = tf.get_variable("w", [4, 6], initializer=tf.constant_initializer(
                np.linspace(-1, 1, 24).reshape(4, 6)))
            b = tf.get_variable("b", [6], initializer=tf.constant_initializer(0.1))
            h = tf.nn.relu(tf.matmul(self.x, w) + b)
        if is_training:
            h = h * 1.25  # As inverted dropout does.
        return tf.layers.dense(h, self.num_classes, name="logits",
                               kernel_initializer=tf.constant_initializer(
                                   np.linspace(1, -1, 12).reshape(6, 2)))


def load_data():
    rs = np.random.RandomState(0)
    x = rs.rand(40, 4).astype(np.float32)
    return x, (x.sum(1) > 2).astype(np.int64)


def train(checkpoint):
    x, y = load_data()
    tf.reset_default_graph()
    model = Model(2)
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for begin in range(0, 40, 4):
            _, loss, step = sess.run([model.train_op, model.loss, model.global_step],
                                     feed_dict={model.x: x[begin:begin + 4],
                                                model.y: y[begin:begin + 4]})
            log.write("%d %r\n" % (begin, float(loss)))
        saver.save(sess, checkpoint)


def test(checkpoint):
    x, y = load_data()
    tf.reset_default_graph()
    model = Model(2, is_training=False)
    saver = tf.train.Saver()
    with tf.Session() as sess:
        saver.restore(sess, checkpoint)
        accuracy, logits = sess.run([model.accuracy, model.logits],
                                    {model.x: x, model.y: y})
        log.write("100 %r\n" % float(accuracy))
        for i in range(0, 40, 8):
            log.write("%d %r\n" % (101 + i, float(logits[i, 1])))


if __name__ == "__main__":
    train(os.path.join(out, "model.ckpt"))
    test(os.path.join(out, "model.ckpt"))
    log.close()
