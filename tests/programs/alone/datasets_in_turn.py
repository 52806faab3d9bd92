"""Iterators that initializers give datasets: by name, chosen by a key, and fed."""
import sys

import numpy as np
import tensorflow as tf

out = sys.argv[1].split("=")[1]
log = open(out + "/loss.0", "w")
draws = np.random.RandomState(5)
xs = draws.rand(20, 3).astype(np.float32)
ys = xs.sum(1, keepdims=True)


def pair(first, last):
    return tf.data.Dataset.from_tensor_slices((xs[first:last], ys[first:last]))


train, valid = pair(0, 12), pair(12, 20)
train = train.batch(4)
for size in (3,):
    valid = valid.batch(size)
iterator = tf.data.Iterator.from_structure(train.output_types, train.output_shapes)
x, y = iterator.get_next()
initializers = {
    "train": iterator.make_initializer(train),
    "valid": iterator.make_initializer(valid),
}
rows = tf.placeholder(tf.float32, [None, 3])
fed = tf.data.Dataset.from_tensor_slices(rows).batch(2)
rounds = tf.data.Iterator.from_structure((tf.float32), (tf.TensorShape([None, 3])))
extra = rounds.make_initializer(fed)
z = rounds.get_next()
weights = tf.get_variable("weights", [3, 1], initializer=tf.constant_initializer(0.1))
loss = tf.reduce_mean(tf.square(tf.matmul(x, weights) - y))
mean = tf.reduce_mean(tf.matmul(z, weights))
update = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
count = 0


def note(value):
    global count
    log.write("%d %r\n" % (count, float(value)))
    count += 1


def begin_extra(sess, part):
    sess.run(extra, {rows: part})


with tf.Session() as sess:
    sess.run(initializers["valid"])
    sess.run(tf.global_variables_initializer())
    note(sess.run(loss))
    for epoch in range(3):
        for phase in ("train", "valid"):
            sess.run(initializers[phase])
            while True:
                try:
                    if phase == "train":
                        _, value = sess.run([update, loss])
                    else:
                        value = sess.run(loss)
                    note(value)
                except tf.errors.OutOfRangeError:
                    break
        begin_extra(sess, xs[epoch : epoch + 5])
        note(sess.run(mean))
        note(sess.run(mean))
log.close()
