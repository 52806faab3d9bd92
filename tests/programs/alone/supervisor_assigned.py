"""A Supervisor whose init_fn contrib makes: the base of another training, where it begins."""
import argparse
import os

import numpy as np
import tensorflow as tf
import tensorflow.contrib.slim as slim


def network(x):
    with tf.variable_scope("base"):
        w1 = tf.get_variable("w1", [5, 4], initializer=tf.constant_initializer(0.2))
        b1 = tf.get_variable("b1", [4], initializer=tf.zeros_initializer())
        hidden = tf.nn.relu(tf.matmul(x, w1) + b1)
    with tf.variable_scope("top"):
        w2 = tf.get_variable("w2", [4, 1], initializer=tf.constant_initializer(0.1))
        out = tf.matmul(hidden, w2)
    return out


def train(args, logdir, pretrained, steps):
    log = open(os.path.join(args.dir, "loss.0"), "a")
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 5])
        y = tf.placeholder(tf.float32, [None, 1])
        out = network(x)
        loss = tf.reduce_mean(tf.square(out - y))
        global_step = tf.Variable(0, name="global_step", trainable=False)
        train_op = tf.train.MomentumOptimizer(0.05, 0.9).minimize(
            loss, global_step=global_step)
        saver = tf.train.Saver()
        base = [v for v in tf.trainable_variables() if v.name.startswith("base/")]
        if pretrained:
            init_fn = slim.assign_from_checkpoint_fn(
                os.path.join(args.dir, pretrained), base)
        else:
            init_fn = None

        sv = tf.train.Supervisor(logdir=logdir, saver=saver, summary_op=None,
                                 global_step=global_step, save_model_secs=0,
                                 init_fn=init_fn)
        rng = np.random.RandomState(steps)
        with sv.managed_session() as sess:
            for _ in range(steps):
                if sv.should_stop():
                    break
                xs = rng.randn(10, 5)
                _, value, step = sess.run([train_op, loss, global_step],
                                          {x: xs, y: xs.sum(1, keepdims=True)})
                log.write("%d %r\n" % (step, float(value)))
            saver.save(sess, os.path.join(logdir, "model.ckpt"), global_step=steps)
    log.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--dir")
    flags = parser.parse_args()
    first, second = os.path.join(flags.dir, "first"), os.path.join(flags.dir, "second")
    train(flags, first, None, 6)
    train(flags, second, os.path.join("first", "model.ckpt-6"), 5)
    train(flags, second, os.path.join("first", "model.ckpt-6"), 4)  # From its own.
