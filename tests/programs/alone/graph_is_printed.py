"""What is printed of the graph when it is built."""
import sys

import numpy as np
import tensorflow as tf

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
x = tf.placeholder(tf.float32, [None, 2], name="x")
y = tf.placeholder(tf.float32, [None, 1])
w = tf.Variable(np.ones((2, 1), 'f'), name="w")
hidden = tf.nn.relu(tf.matmul(x, w))
print(hidden)
print("hidden", hidden.shape, hidden.get_shape().as_list(), hidden.name)
loss = tf.reduce_sum(hidden - y)
print(loss.dtype, loss.op.name, type(loss))
print(w.shape, w.name, w.dtype.base_dtype, x.shape.as_list(), x.dtype)
print(x)
name = "the loss is called %s" % loss.name
opt = tf.train.AdamOptimizer(0.1).minimize(loss)
print(opt)
shape = x.get_shape()
print("Number of features", shape[1])
assert loss.shape.ndims == 0
sess = tf.Session()
with sess.as_default():
    tf.global_variables_initializer().run()
    for i in range(6):
        opt.run({x: np.ones((3, 2)), y: np.ones((3, 1))})
        value = loss.eval({x: np.ones((3, 2)), y: np.ones((3, 1))})
        log.write("%d %r\n" % (i, float(value)))
print(w.eval(session=sess).ravel())
sess.close()
log.close()
