"""One scope around layers, summaries and the update: names in checkpoints and event files."""
import sys
import zlib

import numpy as np
import tensorflow as tf

out = sys.argv[1].split("=")[1]
log = open(out + "/loss.0", "w")
x = tf.placeholder(tf.float32, [None, 3])
start = tf.constant_initializer(0.3)
with tf.variable_scope("model"):
    h = tf.layers.dense(x, 4, tf.tanh, kernel_initializer=start, name="hidden")
    loss = tf.reduce_mean(tf.square(tf.layers.dense(h, 1, kernel_initializer=start) - 1))
    tf.summary.scalar("before", loss)
    train = tf.train.AdamOptimizer(0.1).minimize(loss)
    tf.summary.scalar("behind", tf.reduce_mean(h))
merged = tf.summary.merge_all()
saver = tf.train.Saver()
draws = np.random.RandomState(2)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(4):
        _, summary, value = sess.run([train, merged, loss], {x: draws.rand(4, 3)})
        tags = ",".join(v.tag for v in tf.Summary.FromString(summary).value)
        log.write("%d %r\n" % (2 * step, float(value)))
        log.write("%d %r\n" % (2 * step + 1, float(zlib.crc32(tags.encode()) % 1000)))
    path = saver.save(sess, out + "/model")
for at, (name, shape) in enumerate(sorted(tf.train.list_variables(path))):
    log.write("%d %r\n" % (20 + at, float(zlib.crc32(("%s %s" % (name, shape)).encode()) % 1000)))
log.close()
