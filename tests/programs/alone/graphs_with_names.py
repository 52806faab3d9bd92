"""Two graphs with names in one function, each with a session of its own."""
import os
import sys

import numpy as np
import tensorflow as tf

out = sys.argv[1].split("=")[1]
log = open(out + "/loss.0", "w")


def model(x, scale):
    with tf.variable_scope("model"):
        w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.3))
        b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
        return scale * (tf.matmul(x, w) + b)


def main():
    data = np.random.RandomState(0).rand(12, 3).astype(np.float32)
    labels = (data.sum(1, keepdims=True) > 1.5).astype(np.float32)
    checkpoint = os.path.join(out, "named.ckpt")

    train_graph = tf.Graph()
    with train_graph.as_default():
        x = tf.placeholder(tf.float32, [None, 3])
        y = tf.placeholder(tf.float32, [None, 1])
        logits = model(x, 2.0)
        loss = tf.reduce_mean(
            tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits))
        train_op = tf.train.AdamOptimizer(0.1).minimize(loss)
        init = tf.global_variables_initializer()
        saver = tf.train.Saver()
    with tf.Session(graph=train_graph) as sess:
        sess.run(init)
        for i in range(6):
            _, value = sess.run([train_op, loss], feed_dict={x: data, y: labels})
            log.write("%d %r\n" % (i, float(value)))
        saver.save(sess, checkpoint)

    print("training is done")
    eval_graph = tf.Graph()
    with eval_graph.as_default():
        x = tf.placeholder(tf.float32, [None, 3])
        probability = tf.sigmoid(model(x, 1.0))
        saver = tf.train.Saver()
    with tf.Session(graph=eval_graph) as sess:
        saver.restore(sess, checkpoint)
        for p in sess.run(probability, feed_dict={x: data}):
            log.write("10 %r\n" % float(p[0]))


main()
log.close()
