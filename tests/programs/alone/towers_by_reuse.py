"""Towers over devices: shared by reuse, batch by tf.split, losses listed, in float64."""
import argparse
import os

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--dir")
parser.add_argument("--num_gpus", type=int, default=3)
FLAGS = parser.parse_args()


def inference(images):
    with tf.variable_scope("hidden"):
        weights = tf.get_variable("weights", [6, 4], tf.float64,
                                  initializer=tf.constant_initializer(0.1))
        biases = tf.get_variable("biases", [4], tf.float64,
                                 initializer=tf.constant_initializer(0.2))
        hidden = tf.nn.relu(tf.matmul(images, weights) + biases)
    with tf.variable_scope("out"):
        weights = tf.get_variable("weights", [4, 2], tf.float64,
                                  initializer=tf.constant_initializer(-0.1))
        out = tf.matmul(hidden, weights)
    return out


def tower_loss(images, labels):
    return tf.reduce_mean(tf.reduce_sum(tf.square(inference(images) - labels), axis=1))


def mean_of_towers(gradients_of_towers):
    result = []
    for pairs in zip(*gradients_of_towers):
        stacked = tf.stack([gradient for gradient, _ in pairs])
        result.append((tf.reduce_mean(stacked, axis=0), pairs[0][1]))
    return result


def main():
    log = open(os.path.join(FLAGS.dir, "loss.0"), "w")
    with tf.Graph().as_default(), tf.device("/cpu:0"):
        step = tf.train.get_or_create_global_step()
        opt = tf.train.MomentumOptimizer(0.05, 0.9)
        images = tf.placeholder(tf.float64, [None, 6])
        labels = tf.placeholder(tf.float64, [None, 2])
        image_parts = tf.split(images, FLAGS.num_gpus)
        label_parts = tf.split(labels, FLAGS.num_gpus)

        tower_grads = []
        tower_losses = []
        with tf.variable_scope(tf.get_variable_scope()):
            for i in range(FLAGS.num_gpus):
                with tf.device("/gpu:%d" % i):
                    with tf.name_scope("tower_%d" % i):
                        loss = tower_loss(image_parts[i], label_parts[i])
                        # The next tower has the same variables.
                        tf.get_variable_scope().reuse_variables()
                        grads = opt.compute_gradients(loss)
                        tower_grads.append(grads)
                        tower_losses.append(loss)
        mean_loss = tf.reduce_mean(tower_losses)
        grads = mean_of_towers(tower_grads)
        train_op = opt.apply_gradients(grads, global_step=step)

        config = tf.ConfigProto(allow_soft_placement=True)
        rng = np.random.RandomState(0)
        with tf.Session(config=config) as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(12):
                xs = rng.randn(18, 6)
                ys = np.stack([xs.sum(1), xs.max(1)], axis=1)
                _, last, both, now = sess.run([train_op, loss, mean_loss, step],
                                              {images: xs, labels: ys})
                log.write("%d %r\n" % (now, float(last)))
                log.write("%d %r\n" % (now, float(both)))
    log.close()


if __name__ == "__main__":
    main()
