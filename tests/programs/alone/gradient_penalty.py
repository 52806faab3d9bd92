"""A critic that is trained with a gradient penalty, and a generator.

The update needs each score, so that TensorFlow 1 computes no score after it.
"""
import sys

import numpy as np
import tensorflow as tf

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")


def weights(seed, *shape):
    values = np.random.RandomState(seed).randn(*shape) * .5
    return tf.constant_initializer(values)


def critic(x, reuse=None):
    with tf.variable_scope("critic", reuse=reuse):
        hidden = tf.layers.dense(x, 6, tf.nn.tanh, name="hidden",
                                 kernel_initializer=weights(1, 2, 6))
        return tf.layers.dense(hidden, 1, name="out", kernel_initializer=weights(2, 6, 1))


def generator(z):
    with tf.variable_scope("generator"):
        return tf.layers.dense(z, 2, name="out", kernel_initializer=weights(3, 3, 2))


def gradient_penalty(real, fake, alpha):
    mixed = real + alpha * (fake - real)
    gradients = tf.gradients(critic(mixed, reuse=True), [mixed])[0]
    slopes = tf.sqrt(1e-3 + tf.reduce_sum(tf.square(gradients), reduction_indices=[1]))
    return tf.reduce_mean((slopes - 1.) ** 2)


real = tf.placeholder(tf.float32, [8, 2])
z = tf.placeholder(tf.float32, [8, 3])
alpha = tf.placeholder(tf.float32, [8, 1])
fake = generator(z)
score_real = critic(real)
score_fake = critic(fake, reuse=True)
penalty = gradient_penalty(real, fake, alpha)
critic_loss = tf.reduce_mean(score_fake ** 2 + (score_real - 1.) ** 2) + 4. * penalty
generator_loss = tf.reduce_mean((score_fake - 1.) ** 2)
critic_vars = [v for v in tf.trainable_variables() if v.name.startswith("critic")]
generator_vars = [v for v in tf.trainable_variables() if v.name.startswith("gen")]
critic_train = tf.train.GradientDescentOptimizer(.05).minimize(
    critic_loss, var_list=critic_vars)
generator_train = tf.train.GradientDescentOptimizer(.05).minimize(
    generator_loss, var_list=generator_vars)

rng = np.random.RandomState(0)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(6):
        for _ in range(2):
            feed = {real: rng.randn(8, 2) + 1., z: rng.randn(8, 3),
                    alpha: rng.rand(8, 1)}
            _, loss, slope = sess.run([critic_train, critic_loss, penalty], feed)
            log.write("%d %r\n" % (step, float(loss)))
            log.write("%d %r\n" % (step, float(slope)))
        _, loss = sess.run([generator_train, generator_loss], {z: rng.randn(8, 3)})
        log.write("%d %r\n" % (step, float(loss)))
log.close()
