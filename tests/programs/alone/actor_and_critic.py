"""Two networks and those that follow them: lists by scope, and a tensor that is fed."""
import sys

import numpy as np
import tensorflow as tf

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
TAU = 0.2


class Agent(object):

    def __init__(self, a_dim, s_dim):
        self.sess = tf.Session()
        self.a_dim, self.s_dim = a_dim, s_dim
        self.S = tf.placeholder(tf.float32, [None, s_dim], "s")
        self.S_ = tf.placeholder(tf.float32, [None, s_dim], "s_")
        self.R = tf.placeholder(tf.float32, [None, 1], "r")
        with tf.variable_scope("Actor"):
            self.a = self._build_a(self.S, scope="eval", trainable=True)
            a_ = self._build_a(self.S_, scope="target", trainable=False)
        with tf.variable_scope("Critic"):
            q = self._build_c(self.S, self.a, scope="eval", trainable=True)
            q_ = self._build_c(self.S_, a_, scope="target", trainable=False)

        self.ae_params = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope="Actor/eval")
        self.at_params = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope="Actor/target")
        self.ce_params = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope="Critic/eval")
        self.ct_params = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope="Critic/target")
        self.soft_replace = [tf.assign(t, (1 - TAU) * t + TAU * e)
                             for t, e in zip(self.at_params + self.ct_params,
                                             self.ae_params + self.ce_params)]

        q_target = self.R + 0.9 * q_
        self.error = tf.losses.mean_squared_error(labels=q_target, predictions=q)
        self.ctrain = tf.train.AdamOptimizer(0.02).minimize(self.error, var_list=self.ce_params)
        a_loss = -tf.reduce_mean(q)
        self.atrain = tf.train.AdamOptimizer(0.01).minimize(a_loss, var_list=self.ae_params)
        self.sess.run(tf.global_variables_initializer())

    def choose_action(self, s):
        return self.sess.run(self.a, {self.S: s[np.newaxis, :]})[0]

    def learn(self, bs, ba, br, bs_):
        self.sess.run(self.soft_replace)
        self.sess.run(self.atrain, {self.S: bs})
        error, _ = self.sess.run(
            [self.error, self.ctrain], {self.S: bs, self.a: ba, self.R: br, self.S_: bs_})
        return error

    def _build_a(self, s, scope, trainable):
        with tf.variable_scope(scope):
            net = tf.layers.dense(s, 3, activation=tf.nn.relu, name="l1", trainable=trainable,
                                  kernel_initializer=tf.constant_initializer(0.3))
            return tf.layers.dense(net, self.a_dim, activation=tf.nn.tanh, name="a", trainable=trainable,
                                   kernel_initializer=tf.constant_initializer(0.2))

    def _build_c(self, s, a, scope, trainable):
        with tf.variable_scope(scope):
            w1_s = tf.get_variable("w1_s", [self.s_dim, 4], trainable=trainable,
                                   initializer=tf.constant_initializer(0.3))
            w1_a = tf.get_variable("w1_a", [self.a_dim, 4], trainable=trainable,
                                   initializer=tf.constant_initializer(-0.1))
            b1 = tf.get_variable("b1", [1, 4], trainable=trainable,
                                 initializer=tf.constant_initializer(0.1))
            net = tf.nn.relu(tf.matmul(s, w1_s) + tf.matmul(a, w1_a) + b1)
            return tf.layers.dense(net, 1, trainable=trainable,
                                   kernel_initializer=tf.constant_initializer(0.5))


draws = np.random.RandomState(3)
agent = Agent(2, 3)
for step in range(8):
    state = draws.rand(3)
    log.write("%d %r\n" % (step, float(agent.choose_action(state).sum())))
    bs, ba, br, bs_ = draws.rand(5, 3), draws.rand(5, 2), draws.rand(5, 1), draws.rand(5, 3)
    log.write("%d %r\n" % (step, float(agent.learn(bs, ba, br, bs_))))
log.close()
