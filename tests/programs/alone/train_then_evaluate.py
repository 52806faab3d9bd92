"""A function that trains and one that evaluates, each with a graph and a session of its own."""
import os
import sys

import numpy as np
import tensorflow as tf

out = sys.argv[1].split("=")[1]
log = open(out + "/loss.0", "w")
rs = np.random.RandomState(0)


def inference(x):
    with tf.variable_scope("fc1"):
        w = tf.get_variable("w", [4, 5], initializer=tf.constant_initializer(
            np.linspace(-1, 1, 20).reshape(4, 5)))
        h = tf.nn.relu(tf.matmul(x, w))
    with tf.variable_scope("fc2"):
        w = tf.get_variable("w", [5, 2], initializer=tf.constant_initializer(0.1))
        b = tf.get_variable("b", [2], initializer=tf.constant_initializer(0.0))
        return tf.matmul(h, w) + b


def train(data, labels):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 4])
        y = tf.placeholder(tf.int64, [None])
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
            logits=inference(x), labels=y))
        global_step = tf.Variable(0, trainable=False)
        train_step = tf.train.GradientDescentOptimizer(0.5).minimize(
            loss, global_step=global_step)
        saver = tf.train.Saver()
        with tf.Session() as sess:
            tf.global_variables_initializer().run()
            for i in range(6):
                _, value, step = sess.run([train_step, loss, global_step],
                                          feed_dict={x: data, y: labels})
                log.write("%d %r\n" % (step, float(value)))
            saver.save(sess, os.path.join(out, "model.ckpt"), global_step=global_step)


def evaluate(data, labels):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 4])
        logits = inference(x)
        top_k = tf.nn.in_top_k(logits, labels, 1)
        accuracy = tf.reduce_mean(tf.cast(top_k, tf.float32))
        saver = tf.train.Saver()
        with tf.Session() as sess:
            ckpt = tf.train.get_checkpoint_state(out)
            if not (ckpt and ckpt.model_checkpoint_path):
                print("No checkpoint file found")
                return
            saver.restore(sess, ckpt.model_checkpoint_path)
            step = int(ckpt.model_checkpoint_path.split("-")[-1])
            log.write("%d %r\n" % (step, float(sess.run(accuracy, {x: data}))))
            log.write("%d %r\n" % (step, float(sess.run(logits, {x: data[:1]}).max())))


def main():
    data = rs.rand(20, 4)
    labels = (data.sum(1) > 2).astype(np.int64)
    train(data, labels)
    evaluate(data, labels)


if __name__ == "__main__":
    main()
    log.close()
