"""build_model returns a dict with placeholders, loss and update; the loop reads it by keys."""
import argparse

import numpy as np
import tensorflow as tf


def build_model(lr):
    model = {}
    model["x"] = tf.placeholder(tf.float32, [None, 3])
    model["y"] = tf.placeholder(tf.float32, [None, 1])
    model["w"] = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.2))
    model["b"] = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
    predicted = tf.matmul(model["x"], model["w"]) + model["b"]
    model["loss"] = tf.reduce_mean(tf.square(predicted - model["y"]))
    model["step"] = tf.train.create_global_step()
    model["train_op"] = tf.train.MomentumOptimizer(lr, 0.9).minimize(model["loss"], model["step"])
    return model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dir", required=True)
    parser.add_argument("--lr", type=float, default=0.05)
    args = parser.parse_args()
    model = build_model(args.lr)
    rng = np.random.RandomState(1)
    with tf.Session() as sess, open(args.dir + "/loss.0", "w") as log:
        sess.run(tf.global_variables_initializer())
        for i in range(8):
            data = rng.rand(6, 3)
            feed = {model["x"]: data, model["y"]: data.sum(1, keepdims=True)}
            value, _ = sess.run([model["loss"], model["train_op"]], feed_dict=feed)
            log.write("%d %r\n" % (i, float(value)))
        for name in ("w", "b"):
            log.write("8 %r\n" % float(sess.run(model[name]).sum()))
        log.write("8 %r\n" % float(sess.run(model["step"])))


if __name__ == "__main__":
    main()
