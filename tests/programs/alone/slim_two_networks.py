"""A network for training and, its variables shared, for tests; layers named by their number; slim.learning."""
import sys
import numpy as np
import tensorflow as tf
from tensorflow.contrib import slim

directory = sys.argv[-1].split('=')[1]
log = open(directory + '/loss.0', 'w')
rng = np.random.RandomState(0)
data = rng.rand(64, 6, 6, 2).astype(np.float32)
target = np.argmax(data[:, 0, :3, 0], 1)


def block(net, depth, scope=None):
    with tf.variable_scope(scope, 'Block', [net]):
        one = slim.conv2d(net, depth, 1)
        two = slim.conv2d(net, depth, 3)
        return tf.concat([one, two], 3)


def cnn(inputs, is_training, reuse=None):
    with tf.variable_scope('cnn', reuse=reuse) as scope:
        with slim.arg_scope([slim.batch_norm], is_training=is_training, decay=0.7):
            net = block(inputs, 2)
            net = slim.batch_norm(net, scale=True)
            net = block(net, 3)
            net = slim.batch_norm(net)
            net = slim.flatten(net)
            return slim.fully_connected(net, 3, activation_fn=None,
                                        weights_regularizer=slim.l2_regularizer(0.05),
                                        biases_initializer=None)


train_x = tf.placeholder(tf.float32, [8, 6, 6, 2])
train_y = tf.placeholder(tf.int64, [8])
test_x = tf.placeholder(tf.float32, [None, 6, 6, 2])
with slim.arg_scope([slim.conv2d, slim.fully_connected], weights_initializer=tf.random_normal_initializer(stddev=0.3, seed=5)):
    logits = cnn(train_x, True)
    test_logits = cnn(test_x, False, reuse=True)
tf.losses.sparse_softmax_cross_entropy(train_y, logits)
total = tf.losses.get_total_loss()
global_step = tf.Variable(0, trainable=False, name='global_step')
optimizer = tf.train.RMSPropOptimizer(0.01)
train_op = slim.learning.create_train_op(total, optimizer, global_step=global_step, clip_gradient_norm=1.0)
prediction = tf.argmax(test_logits, 1)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(5):
        log.write('0 %r\n' % float(sess.run(test_logits, {test_x: data[:3]})[0, 0]))
        value, step = sess.run([train_op, global_step], {train_x: data[8 * i:8 * i + 8], train_y: target[8 * i:8 * i + 8]})
        log.write('%d %r\n' % (step, float(value)))
    log.write('9 %r\n' % float(sess.run(prediction, {test_x: data}).sum()))
log.close()
