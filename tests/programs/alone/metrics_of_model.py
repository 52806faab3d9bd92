"""A model class whose metrics judge it on a dataset, from the start in every evaluation."""
import sys

import numpy as np
import tensorflow as tf


class Classifier(object):
    """Two layers, trained on batches and judged on all there is."""

    def __init__(self, features, targets, learning_rate):
        self.learning_rate = learning_rate
        self._load(features, targets)
        self._inference()
        self._optimize()
        self._evaluate()

    def _load(self, features, targets):
        with tf.name_scope("data"):
            dataset = tf.data.Dataset.from_tensor_slices((features, targets)).batch(12)
            self.iterator = dataset.make_initializable_iterator()
            self.x, self.y = self.iterator.get_next()
            self.gstep = tf.Variable(0, dtype=tf.int32, trainable=False, name="global_step")

    def _inference(self):
        hidden = tf.layers.dense(
            self.x, 5, tf.nn.tanh, kernel_initializer=tf.random_normal_initializer(0.0, 0.4, seed=5))
        self.logits = tf.squeeze(
            tf.layers.dense(hidden, 1, kernel_initializer=tf.random_normal_initializer(0.0, 0.4, seed=6)), 1)

    def _optimize(self):
        self.loss = tf.reduce_mean(
            tf.nn.sigmoid_cross_entropy_with_logits(labels=self.y, logits=self.logits))
        self.opt = tf.train.AdamOptimizer(self.learning_rate).minimize(self.loss, global_step=self.gstep)

    def _evaluate(self):
        with tf.name_scope("predict"):
            predicted = tf.cast(tf.greater(self.logits, 0.0), tf.float32)
            self.accuracy, self.accuracy_op = tf.metrics.accuracy(
                labels=self.y, predictions=predicted, name="accuracy")
            precision = tf.metrics.precision(self.y, predicted)
            self.precision = precision[0]
            self.rmse = tf.metrics.root_mean_squared_error(
                self.y, tf.sigmoid(self.logits), weights=1.0 + self.y)[1]
            self.update = tf.group(self.accuracy_op, precision[1])
        self.running = tf.get_collection(tf.GraphKeys.LOCAL_VARIABLES)
        self.reset = tf.variables_initializer(self.running)

    def train_one_epoch(self, sess, log, step):
        sess.run(self.iterator.initializer)
        try:
            while True:
                _, loss = sess.run([self.opt, self.loss])
                log.write("%d %r\n" % (step, float(loss)))
                step += 1
        except tf.errors.OutOfRangeError:
            pass
        return step

    def evaluate(self, sess, log, epoch):
        sess.run(self.reset)
        sess.run(self.iterator.initializer)
        try:
            while True:
                _, error = sess.run([self.update, self.rmse])
        except tf.errors.OutOfRangeError:
            pass
        accuracy, precision = sess.run([self.accuracy, self.precision])
        log.write("%d %r\n" % (1000 + epoch, float(accuracy)))
        log.write("%d %r\n" % (2000 + epoch, float(precision)))
        log.write("%d %r\n" % (3000 + epoch, float(error)))

    def train(self, n_epochs, directory):
        with open(directory + "/loss.0", "w") as log:
            with tf.Session() as sess:
                sess.run(tf.group(tf.global_variables_initializer(), tf.local_variables_initializer()))
                step = 0
                for epoch in range(n_epochs):
                    step = self.train_one_epoch(sess, log, step)
                    self.evaluate(sess, log, epoch)


def main(directory):
    rng = np.random.RandomState(1)
    xs = rng.randn(60, 4).astype(np.float32)
    ys = (xs[:, 0] * xs[:, 1] > 0).astype(np.float32)
    model = Classifier(xs, ys, 0.02)
    model.train(3, directory)


if __name__ == "__main__":
    main(sys.argv[1].split("=")[1])
