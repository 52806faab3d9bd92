"""An agent with two networks: a function of the module makes it act and learn."""
import sys

import numpy as np
import tensorflow as tf

np.random.seed(1)
log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")


class Agent:

    def __init__(self, n_actions, n_features, learning_rate=0.01, greedy=0.9,
                 replace_every=3, memory_size=20, batch_size=8, greedy_increment=None):
        self.n_actions = n_actions
        self.n_features = n_features
        self.lr = learning_rate
        self.epsilon_max = greedy
        self.replace_every = replace_every
        self.memory_size = memory_size
        self.batch_size = batch_size
        self.increment = greedy_increment
        self.epsilon = 0 if greedy_increment is not None else self.epsilon_max
        self.learned = 0
        self.memory = np.zeros((self.memory_size, n_features * 2 + 2))
        self._build_net()
        t_params = tf.get_collection('target_params')
        e_params = tf.get_collection('eval_params')
        self.replace_op = [tf.assign(t, e) for t, e in zip(t_params, e_params)]
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())
        self.costs = []

    def _build_net(self):
        self.s = tf.placeholder(tf.float32, [None, self.n_features], name='s')
        self.q_target = tf.placeholder(tf.float32, [None, self.n_actions], name='Q_target')
        with tf.variable_scope('eval_net'):
            c_names, width = ['eval_params', tf.GraphKeys.GLOBAL_VARIABLES], 6
            with tf.variable_scope('l1'):
                w1 = tf.get_variable('w1', [self.n_features, width], collections=c_names,
                                     initializer=tf.random_normal_initializer(0., 0.3, seed=3))
                b1 = tf.get_variable('b1', [1, width], collections=c_names,
                                     initializer=tf.constant_initializer(0.1))
                l1 = tf.nn.relu(tf.matmul(self.s, w1) + b1)
            with tf.variable_scope('l2'):
                w2 = tf.get_variable('w2', [width, self.n_actions], collections=c_names,
                                     initializer=tf.random_normal_initializer(0., 0.3, seed=4))
                self.q_eval = tf.matmul(l1, w2)
        with tf.variable_scope('loss'):
            self.loss = tf.reduce_mean(tf.squared_difference(self.q_target, self.q_eval))
        with tf.variable_scope('train'):
            self._train_op = tf.train.RMSPropOptimizer(self.lr).minimize(self.loss)

        self.s_ = tf.placeholder(tf.float32, [None, self.n_features], name='s_')
        with tf.variable_scope('target_net'):
            c_names = ['target_params', tf.GraphKeys.GLOBAL_VARIABLES]
            with tf.variable_scope('l1'):
                w1 = tf.get_variable('w1', [self.n_features, width], collections=c_names,
                                     initializer=tf.random_normal_initializer(0., 0.3, seed=5))
                b1 = tf.get_variable('b1', [1, width], collections=c_names,
                                     initializer=tf.constant_initializer(0.1))
                l1 = tf.nn.relu(tf.matmul(self.s_, w1) + b1)
            with tf.variable_scope('l2'):
                w2 = tf.get_variable('w2', [width, self.n_actions], collections=c_names,
                                     initializer=tf.random_normal_initializer(0., 0.3, seed=6))
                self.q_next = tf.matmul(l1, w2)

    def store(self, s, a, r, s_):
        if not hasattr(self, 'counter'):
            self.counter = 0
        transition = np.hstack((s, [a, r], s_))
        self.memory[self.counter % self.memory_size, :] = transition
        self.counter += 1

    def act(self, observation):
        observation = observation[np.newaxis, :]
        if np.random.uniform() < self.epsilon:
            values = self.sess.run(self.q_eval, feed_dict={self.s: observation})
            action = np.argmax(values)
        else:
            action = np.random.randint(0, self.n_actions)
        return action

    def learn(self):
        if self.learned % self.replace_every == 0:
            self.sess.run(self.replace_op)
        size = self.memory_size if self.counter > self.memory_size else self.counter
        batch = self.memory[np.random.choice(size, size=self.batch_size), :]
        q_next, q_eval = self.sess.run(
            [self.q_next, self.q_eval],
            feed_dict={self.s_: batch[:, -self.n_features:],
                       self.s: batch[:, :self.n_features]})
        q_target = q_eval.copy()
        taken = batch[:, self.n_features].astype(int)
        q_target[np.arange(self.batch_size), taken] = (
            batch[:, self.n_features + 1] + 0.9 * np.max(q_next, axis=1))
        _, self.cost = self.sess.run(
            [self._train_op, self.loss],
            feed_dict={self.s: batch[:, :self.n_features], self.q_target: q_target})
        self.costs.append(self.cost)
        self.epsilon = (self.epsilon + self.increment if self.epsilon < self.epsilon_max
                        else self.epsilon_max)
        self.learned += 1

    def write_costs(self):
        import json
        for step, cost in enumerate(json.loads(json.dumps([float(c) for c in self.costs]))):
            log.write("%d %r\n" % (step, cost))


def walk(rng):
    steps = 0
    for episode in range(4):
        observation = rng.rand(3)
        for _ in range(10):
            action = agent.act(observation)
            observation_ = observation + [0.1, -0.1, 0.05 * action]
            agent.store(observation, action, 1.0 - abs(observation_[2]), observation_)
            if steps > 8 and steps % 2 == 0:
                agent.learn()
            observation = observation_
            steps += 1
            log.write("%d %r\n" % (100 + steps, float(action)))


if __name__ == "__main__":
    agent = Agent(2, 3, learning_rate=0.02)
    walk(np.random.RandomState(4))
    agent.write_costs()
    log.close()
