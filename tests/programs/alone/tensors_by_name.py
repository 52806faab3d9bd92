"""Tensors of the program by their names."""
import sys

import numpy as np
import tensorflow as tf

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
x = tf.placeholder(tf.float32, [None, 2], name="x")
w = tf.get_variable("w", [2, 1], initializer=tf.ones_initializer())
pred = tf.matmul(x, w, name="pred")
loss = tf.reduce_mean(tf.square(pred - 1.), name="loss")
train = tf.train.GradientDescentOptimizer(.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    graph = tf.get_default_graph()
    images = graph.get_tensor_by_name("x:0")
    for i in range(6):
        sess.run(train, {"x:0": np.ones([3, 2]) * i})
        value = sess.run("loss:0", feed_dict={images: np.ones([3, 2])})
        log.write("%d %r\n" % (i, float(value)))
        a, b = sess.run(["pred:0", tf.get_default_graph().get_tensor_by_name("w:0")],
                        {x: np.ones([3, 2])})
        log.write("%d %r\n" % (i, float(a.sum() + b.sum())))
log.close()
