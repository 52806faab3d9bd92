"""Towers of a GAN: tf.gradients and zip, averages by index, by a function that is told the number, of gradients alone."""
import os
import sys

import numpy as np
import tensorflow as tf

directory = sys.argv[1].split("=")[1]
log = open(os.path.join(directory, "loss.0"), "w")
NUM_GPUS = 2
BATCH = 6  # Of each tower.
gpus = ["/gpu:%d" % i for i in range(NUM_GPUS)]


def generator(z, reuse=None):
    with tf.variable_scope("generator", reuse=reuse):
        w = tf.get_variable("w", [3, 4], initializer=tf.constant_initializer(
            np.linspace(-0.5, 0.5, 12).reshape(3, 4)), use_resource=True)
        return tf.tanh(tf.matmul(z, w))


def discriminator(x, reuse=None):
    with tf.variable_scope("discriminator", reuse=reuse):
        w = tf.get_variable("w", [4, 3], initializer=tf.constant_initializer(
            np.linspace(-0.3, 0.4, 12).reshape(4, 3)), use_resource=True)
        b = tf.get_variable("b", [3], initializer=tf.zeros_initializer(), use_resource=True)
        v = tf.get_variable("v", [3, 1], initializer=tf.constant_initializer(0.2), use_resource=True)
        return tf.matmul(tf.tanh(tf.matmul(x, w) + b), v)


def average_gradients(tower_grads, num_gpus):
    average = []
    for i in range(len(tower_grads[0])):
        grad, var = tower_grads[0][i]
        for j in range(1, num_gpus):
            grad += tower_grads[j][i][0]
        average.append((grad / num_gpus, var))
    return average


real = tf.placeholder(tf.float32, [None, 4])
noise = tf.placeholder(tf.float32, [None, 3])
d_opt = tf.train.MomentumOptimizer(0.1, 0.9)
g_opt = tf.train.AdamOptimizer(0.01)
d_tower_grads = []
g_tower_grads = []
d_losses = []
for i, gpu in enumerate(gpus):
    with tf.device(gpu):
        x = real[i * BATCH:(i + 1) * BATCH]
        z = noise[i * BATCH:(i + 1) * BATCH]
        fake = generator(z, reuse=i > 0)
        d_real = discriminator(x, reuse=i > 0)
        d_fake = discriminator(fake, reuse=True)
        d_loss = tf.reduce_mean(tf.square(d_real - 1.0)) + tf.reduce_mean(tf.square(d_fake))
        g_loss = tf.reduce_mean(tf.square(d_fake - 1.0))
        tf.summary.scalar("d_loss_%d" % i, d_loss)
        d_losses.append(d_loss)
        d_vars = [v for v in tf.trainable_variables() if v.name.startswith("discriminator")]
        g_vars = [v for v in tf.trainable_variables() if v.name.startswith("generator")]
        d_grads, _ = tf.clip_by_global_norm(tf.gradients(d_loss, d_vars), 0.5)
        d_tower_grads.append(list(zip(d_grads, d_vars)))
        g_tower_grads.append(tf.gradients(g_loss, g_vars))

d_mean_loss = tf.add_n(d_losses) / NUM_GPUS
d_train = d_opt.apply_gradients(average_gradients(d_tower_grads, NUM_GPUS))
g_grads = [tf.add_n(grads) / NUM_GPUS for grads in zip(*g_tower_grads)]
g_train = g_opt.apply_gradients(zip(g_grads, g_vars))
merged = tf.summary.merge_all()
writer = tf.summary.FileWriter(os.path.join(directory, "summaries"))

rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(8):
        feed = {real: 1.0 + rng.randn(NUM_GPUS * BATCH, 4), noise: rng.randn(NUM_GPUS * BATCH, 3)}
        _, value, summary = sess.run([d_train, d_mean_loss, merged], feed_dict=feed)
        writer.add_summary(summary, step)
        log.write("%d %r\n" % (step, float(value)))
        # Written to the file of what is compared: each tower's loss, by its tag.
        for part in tf.Summary.FromString(summary).value:
            log.write("%d %r\n" % (int(part.tag[-1]), float(part.simple_value)))
        sess.run(g_train, feed_dict=feed)
    writer.close()
log.close()
