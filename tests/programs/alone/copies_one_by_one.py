"""A target network: a function returns a list of copies, and another runs them one by one."""
import sys

import numpy as np
import tensorflow as tf

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
rng = np.random.RandomState(0)


def update_target_graph(variables, tau):
    half = len(variables) // 2
    copies = []
    for i, variable in enumerate(variables[:half]):
        old = variables[i + half]
        copies.append(old.assign(variable.value() * tau + (1 - tau) * old.value()))
    return copies


def update_target(copies, sess):
    for copy in copies:
        sess.run(copy)


class QNetwork():
    def __init__(self, hidden):
        self.state = tf.placeholder(shape=[None, 6], dtype=tf.float32)
        self.W = tf.Variable((rng.randn(6, hidden) * .5).astype("f"))
        self.hidden = tf.nn.relu(tf.matmul(self.state, self.W))
        self.V = tf.Variable((rng.randn(hidden, 3) * .5).astype("f"))
        self.q_out = tf.matmul(self.hidden, self.V)
        self.predict = tf.argmax(self.q_out, 1)
        self.target = tf.placeholder(shape=[None], dtype=tf.float32)
        self.actions = tf.placeholder(shape=[None], dtype=tf.int32)
        chosen = tf.reduce_sum(self.q_out * tf.one_hot(self.actions, 3), axis=1)
        self.loss = tf.reduce_mean(tf.square(self.target - chosen))
        self.update = tf.train.AdamOptimizer(learning_rate=.01).minimize(self.loss)


tf.reset_default_graph()
main = QNetwork(5)
target = QNetwork(5)
trainables = tf.trainable_variables()
copies = update_target_graph(trainables, .25)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(8):
        states = rng.rand(4, 6)
        actions = sess.run(main.predict, feed_dict={main.state: states})
        later = sess.run(target.q_out, feed_dict={target.state: states})
        goals = rng.rand(4) + .9 * later[range(4), actions]
        _, loss = sess.run([main.update, main.loss], feed_dict={
            main.state: states, main.target: goals, main.actions: actions})
        for value in (loss, np.square(later).sum()):
            log.write("%d %r\n" % (step, float(value)))
        if step % 2:
            update_target(copies, sess)
log.close()
