"""An agent builds both networks by a method with a scope's name, and holds the session."""
import argparse

import numpy as np
import tensorflow as tf


class DQN(object):
    def __init__(self, lr=0.3):
        self.s = tf.placeholder(tf.float32, [None, 3], name="s")
        self.s_ = tf.placeholder(tf.float32, [None, 3], name="s_")
        self.q_target = tf.placeholder(tf.float32, [None, 2], name="q_target")
        self.q_eval = self._build_net(self.s, "eval_net")
        self.q_next = self._build_net(self.s_, "target_net")
        self.loss = tf.reduce_mean(tf.squared_difference(self.q_eval, self.q_target))
        self.train_op = tf.train.GradientDescentOptimizer(lr).minimize(self.loss)
        e_params = tf.get_collection("eval_net_params")
        t_params = tf.get_collection("target_net_params")
        self.t_params = t_params
        self.replace = [tf.assign(t, e) for t, e in zip(t_params, e_params)]
        self.learn_step = 0
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())
        self.sess.run(self.replace)

    def _build_net(self, x, scope):
        with tf.variable_scope(scope):
            names = [scope + "_params", tf.GraphKeys.GLOBAL_VARIABLES]
            w = tf.get_variable("w", [3, 2], initializer=tf.constant_initializer(0.2), collections=names)
            b = tf.get_variable("b", [2], initializer=tf.zeros_initializer(), collections=names)
            return tf.tanh(tf.matmul(x, w)) + b

    def learn(self, s):
        q_next = self.sess.run(self.q_next, feed_dict={self.s_: s})
        _, loss = self.sess.run([self.train_op, self.loss],
                                feed_dict={self.s: s, self.q_target: 0.5 + 0.9 * q_next})
        self.learn_step += 1
        if self.learn_step % 3 == 0:
            self.sess.run(self.replace)
        return loss


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--dir")
    log = open(parser.parse_args().dir + "/loss.0", "w")
    rng = np.random.RandomState(4)
    agent = DQN()
    for step in range(8):
        log.write("%d %r\n" % (step, float(agent.learn(rng.rand(4, 3)))))
    log.write("8 %r\n" % float(sum(v.sum() for v in agent.sess.run(agent.t_params))))
    log.close()
