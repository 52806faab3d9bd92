"""A session that main() opens and initialises, and gives to a trainer beside the model."""
import sys

import numpy as np
import tensorflow as tf


class Config(object):
    rate = 0.05
    epochs = 5
    iterations = 4
    batch_size = 4


class Data(object):

    def __init__(self, config):
        self.config = config
        self.rng = np.random.RandomState(0)
        self.points = self.rng.rand(50, 3)
        self.sums = self.points.sum(1, keepdims=True)

    def next_batch(self):
        chosen = self.rng.choice(50, self.config.batch_size)
        return self.points[chosen], self.sums[chosen]


class BaseModel(object):

    def __init__(self, config):
        self.config = config
        with tf.variable_scope("epoch"):
            self.epoch = tf.Variable(0, trainable=False, name="epoch")
            self.next_epoch = tf.assign(self.epoch, self.epoch + 1)
        self.global_step = tf.Variable(0, trainable=False, name="global_step")
        self.build_model()

    def build_model(self):
        raise NotImplementedError


class Model(BaseModel):

    def build_model(self):
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.y = tf.placeholder(tf.float32, [None, 1])
        hidden = tf.layers.dense(
            self.x, 4, activation=tf.nn.relu, name="hidden",
            kernel_initializer=tf.constant_initializer(0.1))
        out = tf.layers.dense(
            hidden, 1, name="out", kernel_initializer=tf.constant_initializer(0.2))
        with tf.name_scope("loss"):
            self.loss = tf.reduce_mean(tf.square(out - self.y))
            self.train_step = tf.train.AdamOptimizer(self.config.rate).minimize(
                self.loss, global_step=self.global_step)


class Trainer(object):

    def __init__(self, sess, model, data, config, log):
        self.sess = sess
        self.model = model
        self.data = data
        self.config = config
        self.log = log

    def train(self):
        for epoch in range(self.model.epoch.eval(self.sess), self.config.epochs):
            self.train_epoch()
            self.sess.run(self.model.next_epoch)

    def train_epoch(self):
        for _ in range(self.config.iterations):
            loss = self.train_step()
            step = self.model.global_step.eval(self.sess)
            self.log.write("%d %r\n" % (step, float(loss)))

    def train_step(self):
        points, sums = self.data.next_batch()
        feed_dict = {self.model.x: points, self.model.y: sums}
        _, loss = self.sess.run(
            [self.model.train_step, self.model.loss], feed_dict=feed_dict)
        return loss


def main():
    config = Config()
    log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
    sess = tf.Session()
    data = Data(config)
    model = Model(config)
    sess.run(tf.global_variables_initializer())
    trainer = Trainer(sess, model, data, config, log)
    trainer.train()
    sess.close()
    log.close()


if __name__ == "__main__":
    main()
