"""Streaming metrics of contrib: counted over batches, shown after each epoch, begun anew."""
import sys

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim

out = sys.argv[1].split("=")[1]
log = open(out + "/loss.0", "w")
rs = np.random.RandomState(0)
data = rs.rand(24, 4).astype(np.float32)
labels = (data.sum(1) > 2).astype(np.int64)

x = tf.placeholder(tf.float32, [None, 4])
y = tf.placeholder(tf.int64, [None])
w = tf.Variable(tf.constant(np.linspace(-1, 1, 8).reshape(4, 2), tf.float32))
logits = tf.matmul(x, w)
loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
train_op = tf.train.GradientDescentOptimizer(0.5).minimize(loss)

predicted = tf.argmax(logits, 1)
probability = tf.nn.softmax(logits)[:, 1]
with tf.name_scope("metrics"):
    accuracy, accuracy_op = tf.contrib.metrics.streaming_accuracy(predicted, y)
    precision, precision_op = tf.contrib.metrics.streaming_precision(
        predicted, y, weights=1.0 + tf.cast(y, tf.float32))
    recall, recall_op = tf.contrib.metrics.streaming_recall(labels=y, predictions=predicted)
    auc, auc_op = tf.contrib.metrics.streaming_auc(
        probability, y, num_thresholds=20, curve="PR")
    mean_loss, mean_loss_op = slim.metrics.streaming_mean(loss)
    iou, iou_op = tf.contrib.metrics.streaming_mean_iou(predicted, y, 2)
    small, small_op = tf.contrib.metrics.streaming_percentage_less(probability, 0.4)
    error, error_op = tf.contrib.metrics.streaming_root_mean_squared_error(
        probability, tf.cast(y, tf.float32))
values = [accuracy, precision, recall, auc, mean_loss, iou, small, error]
updates = tf.group(accuracy_op, precision_op, recall_op, auc_op, mean_loss_op, iou_op,
                   small_op, error_op)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(3):
        sess.run(tf.local_variables_initializer())
        for begin in range(0, 24, 6):
            feed = {x: data[begin:begin + 6], y: labels[begin:begin + 6]}
            sess.run(train_op, feed_dict=feed)
            sess.run(updates, feed_dict=feed)
        for i, value in enumerate(sess.run(values)):
            log.write("%d %r\n" % (10 * epoch + i, float(value)))
log.close()
