"""contrib.layers in the script itself, in variable and argument scopes; penalties by collection."""
import sys
import numpy as np
import tensorflow as tf
import tensorflow.contrib.layers as layers
from tensorflow.contrib.framework import arg_scope

directory = sys.argv[-1].split('=')[1]
log = open(directory + '/loss.0', 'w')
rng = np.random.RandomState(0)
data = rng.rand(64, 64).astype(np.float32)
target = np.argmax(data[:, :3], 1)

x = tf.placeholder(tf.float32, [None, 64], name='x')
y = tf.placeholder(tf.int64, [None], name='y')
keep_prob = tf.placeholder(tf.float32, name='keep')
init = tf.truncated_normal_initializer(stddev=0.2, seed=2)
image = tf.reshape(x, [-1, 8, 8, 1])
with tf.variable_scope('net'):
    with arg_scope([layers.conv2d, layers.fully_connected], weights_initializer=init,
                   weights_regularizer=layers.l2_regularizer(0.01)):
        h = layers.conv2d(image, 4, 3)
        h = layers.max_pool2d(h, 2)
        h = layers.stack(h, layers.conv2d, [(3, [3, 3]), (2, [1, 1])], scope='core')
        h = layers.flatten(h)
        h = layers.fully_connected(h, 10)
        h = layers.dropout(h, keep_prob)
    logits = layers.fully_connected(h, 3, activation_fn=None, weights_initializer=init, scope='out')
    scale = tf.get_variable('scale', [], initializer=tf.ones_initializer())
logits = logits * scale
prediction = tf.argmax(logits, 1)
cross = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
reg = tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))
loss = cross + reg
global_step = tf.train.get_or_create_global_step()
variables = [v for v in tf.trainable_variables() if 'out' not in v.name]
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=global_step)
tune = tf.train.AdamOptimizer(0.01).minimize(loss, var_list=variables)
accuracy = tf.reduce_mean(tf.to_float(tf.equal(prediction, y)))
tf.summary.scalar('loss', loss)
hooks = [tf.train.StopAtStepHook(last_step=5)]
with tf.train.MonitoredTrainingSession(checkpoint_dir=directory + '/train', hooks=hooks, save_summaries_steps=2) as sess:
    step = 0
    while not sess.should_stop():
        feed = {x: data[:16], y: target[:16], keep_prob: 1.0}
        _, l, c = sess.run([train_op, loss, cross], feed)
        log.write('%d %r\n%d %r\n' % (step, float(l), step, float(c)))
        step += 1
        if not sess.should_stop():
            sess.run(tune, {x: data[16:32], y: target[16:32], keep_prob: 1.0})
            log.write('%d %r\n' % (step, float(sess.run(accuracy, {x: data, y: target, keep_prob: 1.0}))))
            log.write('%d %r\n' % (step, float(sess.run(logits, {x: data[:4], keep_prob: 1.0})[0, 0])))
log.close()
