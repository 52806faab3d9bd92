"""Towers that write summaries of their own, which are merged for each and for all."""

import tensorflow as tf

x = tf.placeholder(tf.float32, [8, 3])
w = tf.Variable(tf.ones([3, 1]))
optimizer = tf.train.GradientDescentOptimizer(0.1)
gradients = []
for i in range(2):
    with tf.device(f"/gpu:{i}"):
        with tf.name_scope(f"tower_{i}") as scope:
            loss = tf.reduce_mean(tf.square(tf.matmul(tf.split(x, 2)[i], w)))
            tf.summary.scalar("loss", loss)
            summaries = tf.get_collection(tf.GraphKeys.SUMMARIES, scope)
            gradients.append(optimizer.compute_gradients(loss))
averaged = []
for both in zip(*gradients):
    stacked = tf.stack([g for g, _ in both], 0)
    averaged.append((tf.reduce_mean(stacked, 0), both[0][1]))
train_op = optimizer.apply_gradients(averaged)
merged = tf.summary.merge(summaries)
writer = tf.summary.FileWriter("/tmp/logs")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(3):
        _, told = sess.run([train_op, merged], {x: [[1.0, 2.0, 3.0]] * 8})
        writer.add_summary(told, step)
