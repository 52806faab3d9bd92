"""A process that is its own server: sums of constants on devices, as a first tutorial has them; a training."""
import sys

import tensorflow as tf

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")

x = tf.constant(2.0)
with tf.device("/cpu:0"):
    first = x - 66
with tf.device("/cpu:0"):
    second = x + 300
    total = first + second

w = tf.Variable(0.5)
loss = tf.square(w * x - total / 100)
train_op = tf.train.GradientDescentOptimizer(0.05).minimize(loss)

server = tf.train.Server.create_local_server()
with tf.Session(server.target) as sess:
    sess.run(tf.global_variables_initializer())
    log.write("0 %r\n" % float(sess.run(total)))
    for step in range(1, 6):
        value, _ = sess.run([loss, train_op])
        log.write("%d %r\n" % (step, float(value)))
log.close()
