"""Two objects of layers without names, each in its scope, whose methods may be given a session."""
import sys
import numpy as np
import tensorflow as tf

directory = sys.argv[-1].split('=')[1]
log = open(directory + '/loss.0', 'w')
rng = np.random.RandomState(0)


class PolicyEstimator():
    def __init__(self, learning_rate=0.05, scope='policy_estimator'):
        with tf.variable_scope(scope):
            self.state = tf.placeholder(tf.int32, [], 'state')
            self.action = tf.placeholder(dtype=tf.int32, name='action')
            self.target = tf.placeholder(dtype=tf.float32, name='target')
            output = tf.contrib.layers.fully_connected(
                inputs=tf.expand_dims(tf.one_hot(self.state, 6), 0), num_outputs=3,
                activation_fn=None, weights_initializer=tf.zeros_initializer)
            self.action_probs = tf.squeeze(tf.nn.softmax(output))
            self.picked_action_prob = tf.gather(self.action_probs, self.action)
            self.loss = -tf.log(self.picked_action_prob) * self.target
            self.optimizer = tf.train.AdamOptimizer(learning_rate=learning_rate)
            self.train_op = self.optimizer.minimize(
                self.loss, global_step=tf.contrib.framework.get_global_step())

    def predict(self, state, sess=None):
        sess = sess or tf.get_default_session()
        return sess.run(self.action_probs, {self.state: state})

    def update(self, state, target, action, sess=None):
        sess = sess or tf.get_default_session()
        feed_dict = {self.state: state, self.target: target, self.action: action}
        _, loss = sess.run([self.train_op, self.loss], feed_dict)
        return loss


class ValueEstimator():
    def __init__(self, learning_rate=0.1, scope='value_estimator'):
        with tf.variable_scope(scope):
            self.state = tf.placeholder(tf.int32, [], 'state')
            self.target = tf.placeholder(dtype=tf.float32, name='target')
            output = tf.contrib.layers.fully_connected(
                inputs=tf.expand_dims(tf.one_hot(self.state, 6), 0), num_outputs=1,
                activation_fn=None, weights_initializer=tf.zeros_initializer)
            self.value_estimate = tf.squeeze(output)
            self.loss = tf.squared_difference(self.value_estimate, self.target)
            self.optimizer = tf.train.AdamOptimizer(learning_rate=learning_rate)
            self.train_op = self.optimizer.minimize(
                self.loss, global_step=tf.contrib.framework.get_global_step())

    def predict(self, state, sess=None):
        sess = sess or tf.get_default_session()
        return sess.run(self.value_estimate, {self.state: state})

    def update(self, state, target, sess=None):
        sess = sess or tf.get_default_session()
        feed_dict = {self.state: state, self.target: target}
        _, loss = sess.run([self.train_op, self.loss], feed_dict)
        return loss


tf.reset_default_graph()
global_step = tf.Variable(0, name='global_step', trainable=False)
policy_estimator = PolicyEstimator()
value_estimator = ValueEstimator()

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    state = 0
    for step in range(12):
        action_probs = policy_estimator.predict(state)
        action = rng.choice(3, p=action_probs / action_probs.sum())
        next_state = (state + action + 1) % 6
        value_next = value_estimator.predict(next_state)
        td_target = (1.0 if next_state == 5 else 0.1) + 0.9 * value_next
        td_error = td_target - value_estimator.predict(state)
        value_loss = value_estimator.update(state, td_target)
        policy_loss = policy_estimator.update(state, td_error, action)
        log.write('%d %r\n' % (2 * step, float(value_loss)))
        log.write('%d %r\n' % (sess.run(global_step), float(policy_loss)))
        state = next_state
log.close()
