"""A tagger whose method gives a feed and the lengths: what it is not given is not fed."""
import sys

import numpy as np
import tensorflow as tf

out = sys.argv[1].split("=")[1]
log = open(out + "/loss.0", "w")


def pad(sequences):
    longest = max(len(s) for s in sequences)
    padded = np.zeros((len(sequences), longest), np.float32)
    for i, sequence in enumerate(sequences):
        padded[i, :len(sequence)] = sequence
    return padded, [len(s) for s in sequences]


class Tagger(object):

    def __init__(self, width):
        self.words = tf.placeholder(tf.float32, [None, width], name="words")
        self.lengths = tf.placeholder(tf.int32, [None], name="lengths")
        self.tags = tf.placeholder(tf.int64, [None], name="tags")
        self.scale = tf.placeholder(tf.float32, [], name="scale")
        self.lr = tf.placeholder(tf.float32, [], name="lr")
        w = tf.get_variable("w", [width, 3], initializer=tf.constant_initializer(
            np.linspace(-1, 1, 3 * width).reshape(width, 3)))
        mean = tf.reduce_sum(self.words, 1, keepdims=True) / tf.cast(
            tf.expand_dims(self.lengths, 1), tf.float32)
        self.logits = self.scale * tf.matmul(self.words, w) + mean
        self.loss = tf.losses.sparse_softmax_cross_entropy(self.tags, self.logits)
        self.train_op = tf.train.AdamOptimizer(self.lr).minimize(self.loss)
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def get_feed_dict(self, sequences, tags=None, lr=None, scale=None):
        words, lengths = pad(sequences)
        feed = {self.words: words, self.lengths: lengths}
        if tags is not None:
            feed[self.tags] = tags
        if lr is not None:
            feed[self.lr] = lr
        if scale is not None:
            feed[self.scale] = scale
        return feed, lengths

    def predict_batch(self, sequences):
        fd, lengths = self.get_feed_dict(sequences, scale=1.0)
        return self.sess.run(self.logits, feed_dict=fd), lengths

    def train_batch(self, sequences, tags):
        fd, _ = self.get_feed_dict(sequences, tags, 0.1, 0.5)
        _, loss = self.sess.run([self.train_op, self.loss], feed_dict=fd)
        return loss


rs = np.random.RandomState(0)
data = [rs.rand(n).astype(np.float32) for n in (5, 3, 4, 2, 5, 1)]
tags = rs.randint(0, 3, 6)
tagger = Tagger(5)
for i in range(6):
    log.write("%d %r\n" % (i, float(tagger.train_batch(data, tags))))
logits, lengths = tagger.predict_batch(data)
for row, length in zip(logits, lengths):
    log.write("%d %r\n" % (10 + length, float(row[0])))
log.close()
