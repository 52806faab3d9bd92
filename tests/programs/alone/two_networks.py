"""Two networks, the second a copy of the first every third step; the object keeps the session."""
import sys

import numpy as np
import tensorflow as tf

class DeepQNetwork:
    def __init__(self, n_actions, n_features, learning_rate=0.01, gamma=0.9, replace_target_iter=3):
        self.n_actions = n_actions
        self.n_features = n_features
        self.lr = learning_rate
        self.gamma = gamma
        self.replace_target_iter = replace_target_iter
        self.learn_step_counter = 0
        self._build_net()
        t_params = tf.get_collection('target_net_params')
        e_params = tf.get_collection('eval_net_params')
        self.replace_target_op = [tf.assign(t, e) for t, e in zip(t_params, e_params)]
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())
        self.cost_his = []

    def _build_net(self):
        self.s = tf.placeholder(tf.float32, [None, self.n_features], name='s')
        self.q_target = tf.placeholder(tf.float32, [None, self.n_actions], name='Q_target')
        with tf.variable_scope('eval_net'):
            c_names, n_l1, w_initializer, b_initializer = \
                ['eval_net_params', tf.GraphKeys.GLOBAL_VARIABLES], 5, \
                tf.constant_initializer(0.3), tf.constant_initializer(0.1)
            with tf.variable_scope('l1'):
                w1 = tf.get_variable('w1', [self.n_features, n_l1], initializer=w_initializer,
                                     collections=c_names)
                b1 = tf.get_variable('b1', [1, n_l1], initializer=b_initializer,
                                     collections=c_names)
                l1 = tf.nn.relu(tf.matmul(self.s, w1) + b1)
            with tf.variable_scope('l2'):
                w2 = tf.get_variable('w2', [n_l1, self.n_actions], initializer=w_initializer,
                                     collections=c_names)
                b2 = tf.get_variable('b2', [1, self.n_actions], initializer=b_initializer,
                                     collections=c_names)
                self.q_eval = tf.matmul(l1, w2) + b2
        with tf.variable_scope('loss'):
            self.loss = tf.reduce_mean(tf.squared_difference(self.q_target, self.q_eval))
        with tf.variable_scope('train'):
            self._train_op = tf.train.RMSPropOptimizer(self.lr).minimize(self.loss)
        self.s_ = tf.placeholder(tf.float32, [None, self.n_features], name='s_')
        with tf.variable_scope('target_net'):
            c_names = ['target_net_params', tf.GraphKeys.GLOBAL_VARIABLES]
            with tf.variable_scope('l1'):
                w1 = tf.get_variable('w1', [self.n_features, n_l1], initializer=w_initializer,
                                     collections=c_names)
                b1 = tf.get_variable('b1', [1, n_l1], initializer=b_initializer,
                                     collections=c_names)
                l1 = tf.nn.relu(tf.matmul(self.s_, w1) + b1)
            with tf.variable_scope('l2'):
                w2 = tf.get_variable('w2', [n_l1, self.n_actions], initializer=w_initializer,
                                     collections=c_names)
                b2 = tf.get_variable('b2', [1, self.n_actions], initializer=b_initializer,
                                     collections=c_names)
                self.q_next = tf.matmul(l1, w2) + b2

    def learn(self, batch):
        if self.learn_step_counter % self.replace_target_iter == 0:
            self.sess.run(self.replace_target_op)
            print('target_params_replaced')
        q_next, q_eval = self.sess.run([self.q_next, self.q_eval],
            feed_dict={self.s_: batch[:, -self.n_features:], self.s: batch[:, :self.n_features]})
        q_target = q_eval.copy()
        idx = np.arange(batch.shape[0], dtype=np.int32)
        act = batch[:, self.n_features].astype(int)
        reward = batch[:, self.n_features + 1]
        q_target[idx, act] = reward + self.gamma * np.max(q_next, axis=1)
        _, self.cost = self.sess.run([self._train_op, self.loss],
            feed_dict={self.s: batch[:, :self.n_features], self.q_target: q_target})
        self.cost_his.append(self.cost)
        self.learn_step_counter += 1


log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
rs = np.random.RandomState(0)
dqn = DeepQNetwork(2, 3)
for i in range(8):
    b = rs.rand(6, 8)
    b[:, 3] = rs.randint(0, 2, 6)
    dqn.learn(b)
for i, cost in enumerate(dqn.cost_his):
    log.write("%d %r\n" % (i, float(cost)))
log.close()
