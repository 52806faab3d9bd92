"""Lists of variables: counted, named, saved, read."""
import sys
import zlib

import numpy as np
import tensorflow as tf

out = sys.argv[1].split("=")[1]
log = open(out + "/loss.0", "w")
x = tf.placeholder(tf.float32, [None, 4])
y = tf.placeholder(tf.float32, [None, 1])
with tf.variable_scope("encoder"):
    w1 = tf.get_variable("w", [4, 3], initializer=tf.constant_initializer(.3))
    h = tf.nn.sigmoid(tf.matmul(x, w1))
with tf.variable_scope("head"):
    w2 = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(.2))
    pred = tf.matmul(h, w2)
counter = tf.Variable(0, trainable=False, name="counter")
loss = tf.reduce_mean(tf.square(pred - y))
count = np.sum([np.prod(v.get_shape().as_list()) for v in tf.trainable_variables()])
print("parameters:", count)
for v in tf.trainable_variables():
    print(v.name, v.get_shape())
train = tf.train.AdamOptimizer(.05).minimize(loss)
encoder_vars = [v for v in tf.trainable_variables() if v.name.startswith("encoder")]
saver = tf.train.Saver(tf.trainable_variables(), max_to_keep=3)
encoder_saver = tf.train.Saver(encoder_vars)
everything = tf.train.Saver(tf.global_variables(), max_to_keep=None)
by_name = tf.train.Saver({v.op.name: v for v in encoder_vars})
rs = np.random.RandomState(2)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(6):
        xs = rs.rand(5, 4)
        _, l = sess.run([train, loss], {x: xs, y: xs.sum(1, keepdims=True)})
        log.write("%d %r\n" % (i, float(l)))
        if i == 3:
            encoder_saver.save(sess, out + "/encoder")
            by_name.save(sess, out + "/named")
    for v in tf.trainable_variables():
        print(v.name, sess.run(v).sum())
    names = [v.name for v in tf.global_variables()]
    print(sorted(n for n in names))
    values = sess.run(tf.trainable_variables())
    log.write("7 %r\n" % float(sum(a.sum() for a in values)))
    path = saver.save(sess, out + "/trainable")
    everything.save(sess, out + "/all")
    encoder_saver.restore(sess, out + "/encoder")
    log.write("8 %r\n" % float(sess.run(loss, {x: xs, y: xs.sum(1, keepdims=True)})))
    sizes = [np.prod(v.shape.as_list()) for v in tf.trainable_variables()]
    log.write("9 %r\n" % float(sum(sizes) + count))
for i, name in enumerate(["encoder", "named", "trainable", "all"]):
    saved = sorted((n, list(s)) for n, s in tf.train.list_variables(out + "/" + name))
    log.write("%d %r\n" % (10 + i, float(zlib.crc32(repr(saved).encode()))))
log.close()
