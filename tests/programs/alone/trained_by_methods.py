"""A class of methods that name their attributes as themselves, and take the initializer."""
import sys

import numpy as np
import tensorflow as tf

out = sys.argv[1].split("=")[1]
log = open(out + "/loss.0", "w")


def read_data(batch_size):
    xs = np.random.RandomState(7).rand(18, 4).astype(np.float32)
    ys = np.eye(2)[(xs.sum(1) > 2).astype(int)].astype(np.float32)
    train = tf.data.Dataset.from_tensor_slices((xs[:12], ys[:12]))
    test = tf.data.Dataset.from_tensor_slices((xs[12:], ys[12:]))
    return train.batch(batch_size), test.batch(batch_size)


class Net(object):
    def __init__(self):
        self.rate = 0.1
        self.batch_size = 4
        self.steps = tf.Variable(0, dtype=tf.int32, trainable=False, name="global_step")
        self.training = True

    def get_data(self):
        with tf.name_scope("data"):
            train_data, test_data = read_data(self.batch_size)
            iterator = tf.data.Iterator.from_structure(train_data.output_types,
                                                       train_data.output_shapes)
            self.images, self.labels = iterator.get_next()
            self.train_init = iterator.make_initializer(train_data)
            self.test_init = iterator.make_initializer(test_data)

    def inference(self):
        with tf.variable_scope("fc"):
            w = tf.get_variable("w", [4, 2], initializer=tf.constant_initializer(0.1))
            b = tf.get_variable("b", [2], initializer=tf.constant_initializer(0.0))
            self.logits = tf.matmul(self.images, w) + b

    def loss(self):
        with tf.name_scope("loss"):
            entropy = tf.nn.softmax_cross_entropy_with_logits(
                labels=self.labels, logits=self.logits)
            self.loss = tf.reduce_mean(entropy, name="loss")

    def optimize(self):
        self.opt = tf.train.AdamOptimizer(self.rate).minimize(
            self.loss, global_step=self.steps)

    def eval(self):
        with tf.name_scope("predict"):
            predictions = tf.nn.softmax(self.logits)
            correct = tf.equal(tf.argmax(predictions, 1), tf.argmax(self.labels, 1))
            self.accuracy = tf.reduce_sum(tf.cast(correct, tf.float32))

    def build(self):
        self.get_data()
        self.inference()
        self.loss()
        self.optimize()
        self.eval()

    def train_one_epoch(self, sess, init, step):
        sess.run(init)
        self.training = True
        try:
            while True:
                _, value = sess.run([self.opt, self.loss])
                log.write("%d %r\n" % (step, float(value)))
                step += 1
        except tf.errors.OutOfRangeError:
            pass
        return step

    def eval_once(self, sess, init, epoch):
        sess.run(init)
        self.training = False
        total = 0
        try:
            while True:
                total += sess.run(self.accuracy)
        except tf.errors.OutOfRangeError:
            pass
        log.write("%d %r\n" % (100 + epoch, float(total)))

    def train(self, epochs):
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            step = self.steps.eval()
            for epoch in range(epochs):
                step = self.train_one_epoch(sess, self.train_init, step)
                self.eval_once(sess, self.test_init, epoch)


if __name__ == "__main__":
    model = Net()
    model.build()
    model.train(epochs=3)
    log.close()
