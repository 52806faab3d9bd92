"""Gradients by what is fed: a critic's by the actions, and a loss's by the examples."""
import sys

import numpy as np
import tensorflow as tf

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")


def weights(seed, *shape):
    values = np.random.RandomState(seed).randn(*shape) * .5
    return tf.constant_initializer(values)


state = tf.placeholder(tf.float32, [None, 3], "state")
action = tf.placeholder(tf.float32, [None, 1], "action")
target = tf.placeholder(tf.float32, [None, 1], "target")
slope = tf.placeholder(tf.float32, [None, 1], "slope")
with tf.variable_scope("actor"):
    policy = tf.layers.dense(state, 1, tf.nn.tanh, kernel_initializer=weights(1, 3, 1))
actor_vars = tf.trainable_variables()
with tf.variable_scope("critic"):
    q = tf.layers.dense(tf.concat([state, action], 1), 1, tf.nn.sigmoid,
                        kernel_initializer=weights(2, 4, 1))
critic_loss = tf.reduce_mean(tf.square(q - target))
critic_vars = tf.trainable_variables()[len(actor_vars):]
critic_train = tf.train.GradientDescentOptimizer(.1).minimize(
    critic_loss, var_list=critic_vars)
action_gradients = tf.gradients(q, action)
policy_gradients = tf.gradients(policy, actor_vars, -slope)
actor_train = tf.train.GradientDescentOptimizer(.1).apply_gradients(
    zip(policy_gradients, actor_vars))
by_state, by_action = tf.gradients(
    critic_loss, [state, action], colocate_gradients_with_ops=True)
worse = tf.stop_gradient(state + .1 * tf.sign(by_state)) * (1. + by_action)

rng = np.random.RandomState(0)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(6):
        states, targets = rng.randn(5, 3), rng.randn(5, 1)
        actions = sess.run(policy, {state: states})
        loss, _ = sess.run([critic_loss, critic_train],
                           {state: states, action: actions, target: targets})
        slopes = sess.run(action_gradients, {state: states, action: actions})[0]
        sess.run(actor_train, {state: states, slope: slopes})
        moved = sess.run(worse, {state: states, action: actions, target: targets})
        for value in (loss, actions.sum(), slopes.sum(), np.square(moved).sum()):
            log.write("%d %r\n" % (step, float(value)))
log.close()
