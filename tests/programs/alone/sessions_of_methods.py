"""A classifier whose methods open a session each, on the graph that its constructor built."""
import os
import sys

import numpy as np
import tensorflow as tf

out = sys.argv[1].split("=")[1]
log = open(out + "/loss.0", "w")


class Classifier(object):

    def __init__(self, learning_rate=0.5, path="model.ckpt"):
        self.learning_rate = learning_rate
        self.path = path
        self._build()

    def _build(self):
        self.x = tf.placeholder(tf.float32, [None, 4], name="x")
        self.y = tf.placeholder(tf.float32, [None, 1], name="y")
        with tf.variable_scope("classifier"):
            w = tf.get_variable("w", [4, 1], initializer=tf.constant_initializer(0.5))
            b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
            logits = tf.matmul(self.x, w) + b
        self.probability = tf.sigmoid(logits)
        self.loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(
            labels=self.y, logits=logits))
        self.train_op = tf.train.AdagradOptimizer(self.learning_rate).minimize(self.loss)
        self.saver = tf.train.Saver()

    def fit(self, x, y, epochs=4):
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for epoch in range(epochs):
                for begin in range(0, len(x), 5):
                    feed_dict = {self.x: x[begin:begin + 5], self.y: y[begin:begin + 5]}
                    _, loss = sess.run([self.train_op, self.loss], feed_dict=feed_dict)
                log.write("%d %r\n" % (epoch, float(loss)))
            self.saver.save(sess, self.path)

    def predict(self, x):
        with tf.Session() as sess:
            self.saver.restore(sess, self.path)
            return sess.run(self.probability, feed_dict={self.x: x})

    def score(self, x, y):
        with tf.Session() as sess:
            self.saver.restore(sess, self.path)
            return sess.run(self.loss, feed_dict={self.x: x, self.y: y})


def main():
    data = np.random.RandomState(0).rand(20, 4).astype(np.float32)
    labels = (data.sum(1, keepdims=True) > 2).astype(np.float32)
    classifier = Classifier(path=os.path.join(out, "model.ckpt"))
    for turn in range(2):
        classifier.fit(data, labels)
        log.write("%d %r\n" % (10 + turn, float(classifier.score(data, labels))))
    probability = classifier.predict(data[:5])
    for p in probability:
        log.write("20 %r\n" % float(p[0]))


if __name__ == "__main__":
    main()
    log.close()
