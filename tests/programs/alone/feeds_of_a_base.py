"""A model of a course: a base class that trains on batches, feeds that a method makes."""
import sys

import numpy as np
import tensorflow as tf

out = sys.argv[1].split("=")[1]
log = open(out + "/loss.0", "w")


class Config(object):
    n_features = 4
    n_classes = 2
    keep = 0.5
    batch_size = 5
    n_epochs = 3
    lr = 0.05


class Model(object):

    def add_placeholders(self):
        raise NotImplementedError("Each Model must re-implement this method.")

    def create_feed_dict(self, inputs_batch, labels_batch=None):
        raise NotImplementedError("Each Model must re-implement this method.")

    def add_prediction_op(self):
        raise NotImplementedError("Each Model must re-implement this method.")

    def add_loss_op(self, pred):
        raise NotImplementedError("Each Model must re-implement this method.")

    def add_training_op(self, loss):
        raise NotImplementedError("Each Model must re-implement this method.")

    def train_on_batch(self, sess, inputs_batch, labels_batch):
        feed = self.create_feed_dict(inputs_batch, labels_batch=labels_batch,
                                     keep=self.config.keep)
        _, loss = sess.run([self.train_op, self.loss], feed_dict=feed)
        return loss

    def predict_on_batch(self, sess, inputs_batch):
        feed = self.create_feed_dict(inputs_batch)
        predictions = sess.run(self.pred, feed_dict=feed)
        return predictions

    def build(self):
        self.add_placeholders()
        self.pred = self.add_prediction_op()
        self.loss = self.add_loss_op(self.pred)
        self.train_op = self.add_training_op(self.loss)


class SoftmaxModel(Model):

    def add_placeholders(self):
        self.input_placeholder = tf.placeholder(
            tf.float32, [None, self.config.n_features])
        self.labels_placeholder = tf.placeholder(
            tf.float32, [None, self.config.n_classes])
        self.keep_placeholder = tf.placeholder(tf.float32)

    def create_feed_dict(self, inputs_batch, labels_batch=None, keep=1):
        feed_dict = {}
        feed_dict[self.input_placeholder] = inputs_batch
        if labels_batch is not None:
            feed_dict[self.labels_placeholder] = labels_batch
        feed_dict[self.keep_placeholder] = keep
        return feed_dict

    def add_prediction_op(self):
        W = tf.Variable(tf.ones((self.config.n_features, self.config.n_classes)))
        b = tf.Variable(tf.zeros(self.config.n_classes))
        return self.keep_placeholder * tf.matmul(self.input_placeholder, W) + b

    def add_loss_op(self, pred):
        return tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(
            logits=pred, labels=self.labels_placeholder))

    def add_training_op(self, loss):
        return tf.train.AdamOptimizer(self.config.lr).minimize(loss)

    def run_epoch(self, sess, data, labels):
        size = self.config.batch_size
        for i in range(0, len(data), size):
            loss = self.train_on_batch(sess, data[i:i + size], labels[i:i + size])
            log.write("%d %r\n" % (i, float(loss)))
        predictions = self.predict_on_batch(sess, data[:2])
        log.write("100 %r\n" % float(predictions[0, 0]))
        log.write("101 %r\n" % float(predictions[1, 1]))

    def fit(self, sess, data, labels):
        for epoch in range(self.config.n_epochs):
            self.run_epoch(sess, data, labels)

    def __init__(self, config):
        self.config = config
        self.build()


def main():
    data = np.random.RandomState(0).rand(20, 4).astype(np.float32)
    labels = np.eye(2)[(data.sum(1) > 2).astype(np.int64)]
    config = Config()
    with tf.Graph().as_default():
        model = SoftmaxModel(config)
        init = tf.global_variables_initializer()
        with tf.Session() as session:
            session.run(init)
            model.fit(session, data, labels)


if __name__ == "__main__":
    main()
    log.close()
