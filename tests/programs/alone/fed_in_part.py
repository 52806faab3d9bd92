"""An autoencoder on a dataset: its codes and its pictures are fed where the dataset gives them else."""
import sys

import numpy as np
import tensorflow as tf


def layer(name, inputs, width, seed):
    return tf.layers.dense(
        inputs, width, tf.nn.tanh, name=name,
        kernel_initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=seed))


def main(directory):
    rng = np.random.RandomState(4)
    pictures = rng.rand(48, 6).astype(np.float32)
    weights = np.linspace(0.5, 1.5, 48).astype(np.float32)
    dataset = tf.data.Dataset.from_tensor_slices((pictures, weights)).batch(8).repeat()
    iterator = dataset.make_one_shot_iterator()
    picture, weight = iterator.get_next()

    code = layer("encoder", picture, 2, 11)
    decoded = layer("decoder", code, 6, 12)
    errors = tf.reduce_sum(tf.square(decoded - picture), 1)
    cost = tf.reduce_mean(weight * errors)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(cost)

    with tf.Session() as sess, open(directory + "/loss.0", "w") as log:
        sess.run(tf.global_variables_initializer())
        for step in range(8):
            _, value = sess.run([train, cost])
            log.write("%d %r\n" % (step, float(value)))
            # Drawn for its weights alone: the dataset goes on.
            blank = sess.run(cost, feed_dict={picture: np.zeros([8, 6])})
            log.write("%d %r\n" % (100 + step, float(blank)))
            # Nothing is drawn.
            found = sess.run(code, {picture: pictures[:3]})
            log.write("%d %r\n" % (200 + step, float(found.sum())))
            between = sess.run(decoded, {code: (found[:1] + found[1:2]) / 2})
            log.write("%d %r\n" % (300 + step, float(between.sum())))
            if step % 4 == 3:
                every = sess.run(cost, {picture: pictures, weight: np.ones(48)})
                log.write("%d %r\n" % (400 + step, float(every)))


if __name__ == "__main__":
    main(sys.argv[1].split("=")[1])
