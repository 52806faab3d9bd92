"""Streaming metrics in scopes of their own, counted over batches and reset before each pass."""
import sys

import numpy as np
import tensorflow as tf

BATCH_SIZE = 16
CLASSES = 3

x = tf.placeholder(tf.float32, shape=[None, 6], name="x")
labels = tf.placeholder(tf.int64, shape=[None], name="labels")
w = tf.get_variable("w", [6, CLASSES], initializer=tf.random_uniform_initializer(-0.3, 0.3, seed=3))
b = tf.get_variable("b", [CLASSES], initializer=tf.zeros_initializer())
logits = tf.matmul(x, w) + b
probabilities = tf.nn.softmax(logits)
predicted = tf.argmax(logits, 1)
cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
loss = tf.reduce_mean(cross_entropy)
train_op = tf.train.GradientDescentOptimizer(0.3).minimize(loss)

with tf.variable_scope("metrics"):
    mean_loss, mean_loss_update = tf.metrics.mean(cross_entropy)
    accuracy, accuracy_update = tf.metrics.accuracy(labels, predicted)
    recall, recall_update = tf.metrics.recall(tf.equal(labels, 1), tf.equal(predicted, 1))
    metrics = [mean_loss, accuracy, recall]
    metrics_update = [mean_loss_update, accuracy_update, recall_update]
# Counted over all that was seen since the program began.
with tf.name_scope("ever"):
    seen, seen_op = tf.metrics.mean(tf.cast(labels, tf.float32), name="seen")
    area, area_op = tf.metrics.auc(tf.equal(labels, 0), probabilities[:, 0], num_thresholds=50)
    iou, iou_op = tf.metrics.mean_iou(labels, predicted, num_classes=CLASSES)

# The variables that the metrics hide, and what sets them back.
metrics_variables = tf.get_collection(tf.GraphKeys.LOCAL_VARIABLES, scope="metrics")
metrics_initializer = tf.variables_initializer(metrics_variables)

rng = np.random.RandomState(0)
data = rng.randn(96, 6).astype(np.float32)
targets = np.argmax(data[:, :CLASSES], 1)

with open(sys.argv[1].split("=")[1] + "/loss.0", "w") as log:
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(tf.local_variables_initializer())
        for epoch in range(3):
            sess.run(metrics_initializer)
            for start in range(0, 96, BATCH_SIZE):
                feed = {x: data[start:start + BATCH_SIZE], labels: targets[start:start + BATCH_SIZE]}
                sess.run(train_op, feed_dict=feed)
                sess.run(metrics_update, feed_dict=feed)
                sess.run([seen_op, area_op, iou_op], feed_dict=feed)
            values = sess.run(metrics)
            for index, value in enumerate(values):
                log.write("%d %r\n" % (epoch * 10 + index, float(value)))
            log.write("%d %r\n" % (epoch * 10 + 5, float(sess.run(seen))))
            log.write("%d %r\n" % (epoch * 10 + 6, float(sess.run(area))))
            log.write("%d %r\n" % (epoch * 10 + 7, float(sess.run(iou))))
