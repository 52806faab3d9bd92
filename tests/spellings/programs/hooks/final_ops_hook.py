"""TensorFlow 1's hooks only: StopAtStepHook, NanTensorHook and FinalOpsHook; argparse."""
import argparse
import os

import numpy as np
import tensorflow as tf


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dir")
    parser.add_argument("--steps", type=int, default=8)
    args = parser.parse_args()
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.placeholder(tf.float32, [None, 1])
    w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.2))
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
    global_step = tf.train.get_or_create_global_step()
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=global_step)
    final = tf.train.FinalOpsHook(w)
    hooks = [tf.train.StopAtStepHook(num_steps=args.steps), tf.train.NanTensorHook(loss), final]
    rng = np.random.RandomState(8)
    with open(os.path.join(args.dir, "loss.0"), "w") as log:
        with tf.train.MonitoredTrainingSession(hooks=hooks) as sess:
            step = 0
            while not sess.should_stop():
                data = rng.rand(5, 3)
                _, value = sess.run([train_op, loss], {x: data, y: data.sum(1, keepdims=True)})
                log.write("%d %r\n" % (step, float(value)))
                step += 1
        log.write("%d %r\n" % (args.steps, float(final.final_ops_values.sum())))


if __name__ == "__main__":
    main()
