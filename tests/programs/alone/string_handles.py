"""An iterator that a handle decides: datasets for training and for validation, in turn."""
import sys

import numpy as np
import tensorflow as tf

out = sys.argv[1].split("=")[1]
log = open(out + "/loss.0", "w")
draws = np.random.RandomState(6)
xs = draws.rand(20, 3).astype(np.float32)
ys = xs.sum(1, keepdims=True)
train = tf.data.Dataset.from_tensor_slices((xs[:12], ys[:12])).repeat().batch(5)
valid = tf.data.Dataset.from_tensor_slices((xs[12:], ys[12:])).batch(4)
handle = tf.placeholder(tf.string, shape=[])
iterator = tf.data.Iterator.from_string_handle(
    handle, train.output_types, train.output_shapes)
x, y = iterator.get_next()
keep = tf.placeholder_with_default(1.0, [])
train_iterator = train.make_one_shot_iterator()
valid_iterator = valid.make_initializable_iterator()
weights = tf.get_variable("weights", [3, 1], initializer=tf.constant_initializer(0.1))
loss = tf.reduce_mean(tf.square(tf.matmul(x * keep, weights) - y))
update = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
with tf.Session() as sess:
    train_handle, valid_handle = sess.run(
        [train_iterator.string_handle(), valid_iterator.string_handle()])
    sess.run(tf.global_variables_initializer())
    count = 0
    for epoch in range(3):
        for _ in range(4):
            _, value = sess.run([update, loss], {handle: train_handle, keep: 0.9})
            log.write("%d %r\n" % (count, float(value)))
            count += 1
        sess.run(valid_iterator.initializer)
        while True:
            try:
                value = sess.run(loss, feed_dict={handle: valid_handle})
                log.write("%d %r\n" % (count, float(value)))
                count += 1
            except tf.errors.OutOfRangeError:
                break
log.close()
