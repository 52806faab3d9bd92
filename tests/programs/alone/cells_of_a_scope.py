"""A language model whose scope initialises its embedding, cells and layer."""
import sys

import numpy as np
import tensorflow as tf

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")


class Config:
    init_scale = 0.05
    size = 6
    steps = 4
    batch = 5
    words = 9


class Model:
    def __init__(self, config):
        size = config.size
        self.words = tf.placeholder(tf.int32, [config.batch, config.steps])
        self.targets = tf.placeholder(tf.int32, [config.batch, config.steps])

        def make_cell():
            cell = tf.contrib.rnn.BasicLSTMCell(size, forget_bias=0.0)
            return tf.contrib.rnn.DropoutWrapper(cell, output_keep_prob=1.0)

        cell = tf.contrib.rnn.MultiRNNCell([make_cell() for _ in range(2)])
        embedding = tf.get_variable("embedding", [config.words, size])
        marks = tf.constant(np.linspace(-1., 1., 9 * 6).reshape(9, 6), tf.float32)
        inputs = tf.nn.embedding_lookup(embedding + marks, self.words)
        self.initial_state = state = cell.zero_state(config.batch, tf.float32)
        with tf.variable_scope("RNN"):
            outputs, state = tf.nn.dynamic_rnn(cell, inputs, initial_state=state)
        output = tf.reshape(outputs, [-1, size])
        output = tf.layers.dense(output, size, tf.tanh, name="hidden")
        softmax_w = tf.get_variable("softmax_w", [size, config.words])
        softmax_b = tf.get_variable("softmax_b", [config.words],
                                    initializer=tf.zeros_initializer())
        logits = tf.matmul(output, softmax_w) + softmax_b
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=tf.reshape(self.targets, [-1]), logits=logits)
        self.cost = tf.reduce_mean(losses)
        self.final_state = state
        optimizer = tf.train.GradientDescentOptimizer(2.0)
        self.train_op = optimizer.minimize(self.cost)


config = Config()
initializer = tf.constant_initializer(config.init_scale)
with tf.variable_scope("model", initializer=initializer):
    model = Model(config)
rs = np.random.RandomState(3)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(8):
        words = rs.randint(0, config.words, (config.batch, config.steps))
        feed = {model.words: words, model.targets: (words + 2) % config.words}
        _, value = sess.run([model.train_op, model.cost], feed)
        log.write("%d %r\n" % (step, float(value)))
log.close()
