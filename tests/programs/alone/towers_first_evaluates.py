"""Towers of which only the first measures accuracy, and on small batches it alone has examples."""
import sys

import numpy as np
import tensorflow as tf

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")

num_gpus = 2
batch_size = 6
PS_OPS = ['Variable', 'VariableV2', 'AutoReloadVariable']


def network(x, reuse, is_training):
    with tf.variable_scope('Net', reuse=reuse):
        init = tf.constant_initializer(np.random.RandomState(0).randn(5, 7) * .3)
        x = tf.layers.dense(x, 7, activation=tf.nn.tanh, kernel_initializer=init)
        x = tf.layers.dropout(x, rate=0.0, training=is_training)
        init = tf.constant_initializer(np.random.RandomState(1).randn(7, 3) * .3)
        out = tf.layers.dense(x, 3, kernel_initializer=init)
        out = tf.nn.softmax(out) if not is_training else out
    return out


def average_gradients(tower_grads):
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grads = []
        for g, _ in grad_and_vars:
            grads.append(tf.expand_dims(g, 0))
        grad = tf.reduce_mean(tf.concat(grads, 0), 0)
        average_grads.append((grad, grad_and_vars[0][1]))
    return average_grads


def assign_to_device(device, ps_device='/cpu:0'):
    def _assign(op):
        node_def = op if isinstance(op, tf.NodeDef) else op.node_def
        if node_def.op in PS_OPS:
            return ps_device
        else:
            return device
    return _assign


with tf.device('/cpu:0'):
    tower_grads = []
    reuse_vars = False
    X = tf.placeholder(tf.float32, [None, 5])
    Y = tf.placeholder(tf.float32, [None, 3])

    for i in range(num_gpus):
        with tf.device(assign_to_device('/gpu:{}'.format(i), ps_device='/cpu:0')):
            _x = X[i * batch_size: (i + 1) * batch_size]
            _y = Y[i * batch_size: (i + 1) * batch_size]
            logits_train = network(_x, reuse=reuse_vars, is_training=True)
            logits_test = network(_x, reuse=True, is_training=False)
            loss_op = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(
                logits=logits_train, labels=_y))
            optimizer = tf.train.AdamOptimizer(learning_rate=0.05)
            grads = optimizer.compute_gradients(loss_op)
            # Only the first GPU computes accuracy.
            if i == 0:
                correct_pred = tf.equal(tf.argmax(logits_test, 1), tf.argmax(_y, 1))
                accuracy = tf.reduce_mean(tf.cast(correct_pred, tf.float32))
                surest = tf.reduce_max(logits_test)
            reuse_vars = True
            tower_grads.append(grads)

    tower_grads = average_gradients(tower_grads)
    train_op = optimizer.apply_gradients(tower_grads)
    init = tf.global_variables_initializer()

    rng = np.random.RandomState(3)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        sess.run(init)
        for step in range(1, 9):
            batch_x = rng.rand(num_gpus * batch_size, 5)
            batch_y = np.eye(3)[batch_x[:, :3].argmax(1)]
            sess.run(train_op, feed_dict={X: batch_x, Y: batch_y})
            loss, acc, sure = sess.run(
                [loss_op, accuracy, surest], feed_dict={X: batch_x, Y: batch_y})
            log.write("%d %r\n" % (step, float(loss)))
            log.write("%d %r\n" % (100 + step, float(acc)))
            log.write("%d %r\n" % (200 + step, float(sure)))
        for i in range(3):
            batch_x = rng.rand(batch_size, 5)
            batch_y = np.eye(3)[batch_x[:, :3].argmax(1)]
            log.write("%d %r\n" % (300 + i, float(sess.run(
                accuracy, feed_dict={X: batch_x, Y: batch_y}))))
            log.write("%d %r\n" % (400 + i, float(sess.run(
                surest, feed_dict={X: batch_x, Y: batch_y}))))
log.close()
