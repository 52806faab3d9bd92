"""slim's LeNet: an argument scope that a function returns, end points, losses, averages."""
import sys

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim


def lenet_arg_scope(weight_decay=0.01):
    """The arguments that all layers have."""
    with slim.arg_scope(
            [slim.conv2d, slim.fully_connected],
            weights_regularizer=slim.l2_regularizer(weight_decay),
            weights_initializer=tf.truncated_normal_initializer(stddev=0.1, seed=1),
            activation_fn=tf.nn.relu) as sc:
        return sc


def lenet(images, num_classes=3, is_training=False, dropout_keep_prob=1.0, scope='LeNet'):
    end_points = {}
    with tf.variable_scope(scope, 'LeNet', [images]):
        net = end_points['conv1'] = slim.conv2d(images, 4, [3, 3], scope='conv1')
        net = end_points['pool1'] = slim.max_pool2d(net, [2, 2], 2, scope='pool1')
        net = slim.conv2d(net, 4, [3, 3], normalizer_fn=slim.batch_norm,
                          normalizer_params={'is_training': is_training, 'decay': 0.8})
        net = slim.repeat(net, 2, slim.conv2d, 3, [3, 3], scope='conv3')
        net = slim.flatten(net)
        net = slim.fully_connected(net, 8, scope='fc3')
        net = slim.dropout(net, dropout_keep_prob, is_training=is_training)
        logits = end_points['Logits'] = slim.fully_connected(
            net, num_classes, activation_fn=None, scope='fc4')
    end_points['Predictions'] = slim.softmax(logits, scope='Predictions')
    return logits, end_points


def main(log):
    rng = np.random.RandomState(0)
    x = rng.rand(64, 8, 8, 1).astype(np.float32)
    y = np.argmax(x[:, 0, :3, 0], 1)
    images = tf.placeholder(tf.float32, [None, 8, 8, 1])
    labels = tf.placeholder(tf.int64, [None])
    is_training = tf.placeholder(tf.bool, [])
    with slim.arg_scope(lenet_arg_scope()):
        logits, end_points = lenet(images, is_training=is_training)
    slim.losses.sparse_softmax_cross_entropy(logits, labels)
    total_loss = slim.losses.get_total_loss()
    optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train_op = optimizer.minimize(total_loss)
    accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), labels), tf.float32))
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for i in range(6):
            part = slice(8 * i, 8 * i + 8)
            feed = {images: x[part], labels: y[part], is_training: True}
            # As in training, but of no training operation: the averages stay.
            log.write('%d %r\n' % (i, float(sess.run(total_loss, feed))))
            _, loss = sess.run([train_op, total_loss], feed_dict=feed)
            log.write('%d %r\n' % (i, float(loss)))
        a, p = sess.run([accuracy, end_points['Predictions']],
                        {images: x, labels: y, is_training: False})
        log.write('7 %r\n8 %r\n' % (float(a), float(p[0, 0])))
        path = saver.save(sess, sys.argv[-1].split('=')[1] + '/model')
        reader = tf.train.NewCheckpointReader(path)
        for i, name in enumerate(sorted(reader.get_variable_to_shape_map())):
            log.write('%d %r\n' % (10 + i, float(np.abs(reader.get_tensor(name)).sum())))


if __name__ == '__main__':
    with open(sys.argv[-1].split('=')[1] + '/loss.0', 'w') as log:
        main(log)
