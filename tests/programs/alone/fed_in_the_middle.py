"""Feeds of tensors that the graph computes: scaled pictures, and what a layer gave, with parts taken out."""
import sys

import numpy as np
import tensorflow as tf

BATCH_SIZE = 20
LR = 0.05

# What is fed is the quotient: the batches are of the right size already.
tf_x = tf.placeholder(tf.float32, [None, 6 * 6]) / 255.
image = tf.reshape(tf_x, [-1, 6, 6, 1])
tf_y = tf.placeholder(tf.int32, [None, 3])

conv1 = tf.layers.conv2d(
    inputs=image, filters=4, kernel_size=3, strides=1, padding="same", activation=tf.nn.relu,
    kernel_initializer=tf.random_normal_initializer(stddev=0.3, seed=1))
pool1 = tf.layers.max_pooling2d(conv1, pool_size=2, strides=2)
flat = tf.reshape(pool1, [-1, 3 * 3 * 4])
features = tf.nn.tanh(flat)
output = tf.layers.dense(features, 3, kernel_initializer=tf.random_normal_initializer(stddev=0.3, seed=2))
shown = features  # Another name of the same tensor.
energy = tf.reduce_mean(tf.square(shown)) + tf.reduce_mean(output)

loss = tf.losses.softmax_cross_entropy(onehot_labels=tf_y, logits=output)
train_op = tf.train.AdamOptimizer(LR).minimize(loss)
accuracy = tf.metrics.accuracy(
    labels=tf.argmax(tf_y, axis=1), predictions=tf.argmax(output, axis=1),)[1]

rng = np.random.RandomState(0)
pictures = rng.rand(100, 36).astype(np.float32)
classes = np.eye(3, dtype=np.int32)[np.argmax(pictures[:, :3], 1)]
test_x, test_y = pictures[:30], classes[:30]

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
sess = tf.Session()
init_op = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())
sess.run(init_op)

for step in range(10):
    at = step * 10 % 80
    b_x, b_y = pictures[at:at + BATCH_SIZE], classes[at:at + BATCH_SIZE]
    _, loss_ = sess.run([train_op, loss], {tf_x: b_x, tf_y: b_y})
    log.write("%d %r\n" % (step, float(loss_)))
    if step % 3 == 0:
        accuracy_, flat_representation = sess.run([accuracy, features], {tf_x: test_x, tf_y: test_y})
        log.write("%d %r\n" % (100 + step, float(accuracy_)))
        # Which features matter: without them the loss is another.
        for part in range(0, 36, 12):
            without = flat_representation.copy()
            without[:, part:part + 12] = 0.0
            log.write("%d %r\n" % (1000 + 100 * step + part, float(sess.run(loss, {features: without, tf_y: test_y}))))
            log.write("%d %r\n" % (5000 + 100 * step + part, float(sess.run(energy, feed_dict={shown: without}))))
log.close()
