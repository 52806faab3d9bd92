"""A siamese tower under AUTO_REUSE; losses collected by tf.losses; gradients clipped."""
import os

import numpy as np
import tensorflow as tf

tf.app.flags.DEFINE_string('ps_hosts', '', 'Comma-separated hosts')
tf.app.flags.DEFINE_string('worker_hosts', '', 'Comma-separated hosts')
tf.app.flags.DEFINE_string('job_name', '', 'ps or worker')
tf.app.flags.DEFINE_integer('task_index', 0, 'Index of the task')
tf.app.flags.DEFINE_string('dir', '/tmp/train', 'Output directory')
FLAGS = tf.app.flags.FLAGS
START = (0.3 * np.random.RandomState(1).randn(10, 6)).astype(np.float32)


def tower(x, name='tower'):
    with tf.variable_scope(name, reuse=tf.AUTO_REUSE):
        w = tf.get_variable('w', initializer=START)
        b = tf.get_variable('b', [6], initializer=tf.constant_initializer(0.1))
        return tf.nn.l2_normalize(tf.nn.relu(tf.matmul(x, w) + b), 1)


def main(unused_argv):
    hosts = {}
    hosts['ps'] = FLAGS.ps_hosts.split(',')
    hosts['worker'] = FLAGS.worker_hosts.split(',')
    cluster = tf.train.ClusterSpec(hosts)
    server = tf.train.Server(cluster, FLAGS.job_name, FLAGS.task_index)
    if FLAGS.job_name == 'ps':
        server.join()
    elif FLAGS.job_name == 'worker':
        with tf.device(tf.train.replica_device_setter(cluster=cluster)):
            left = tf.placeholder(tf.float32, [None, 10])
            right = tf.placeholder(tf.float32, [None, 10])
            same = tf.placeholder(tf.float32, [None])
            d = tf.reduce_sum(tf.squared_difference(tower(left), tower(right)), axis=1)
            contrastive = tf.reduce_mean(
                same * d + (1 - same) * tf.square(tf.maximum(0., 1 - tf.sqrt(d + 1e-6))))
            tf.losses.add_loss(contrastive)
            tf.losses.absolute_difference(1. - same, d, weights=0.25)
            # Is not part of the total.
            largest = tf.losses.huber_loss(same, d, loss_collection=None)
            total = tf.losses.get_total_loss()
            tf.train.create_global_step()
            rate = tf.train.polynomial_decay(
                0.5, tf.train.get_global_step(), 20, 0.01, power=2.0, cycle=True)
            opt = tf.train.AdagradOptimizer(rate)
            gradients, trained = zip(*opt.compute_gradients(total))
            clipped, norm = tf.clip_by_global_norm(gradients, 0.5)
            train_op = opt.apply_gradients(
                zip(clipped, trained), global_step=tf.train.get_global_step())

        rng = np.random.RandomState(3)
        with tf.train.MonitoredTrainingSession(
                server.target, FLAGS.task_index == 0) as sess, \
                open(os.path.join(FLAGS.dir, 'loss.%d' % FLAGS.task_index), 'w') as f:
            for i in range(25):
                a, b = rng.randn(4, 10), rng.randn(4, 10)
                s = np.arange(4) % 2
                b[s == 1] = a[s == 1] + .1
                feed = {left: a, right: b, same: s}
                c, h = sess.run([contrastive, largest], feed)
                _, t, n = sess.run([train_op, total, norm], feed)
                for value in (c, h, t, n):
                    f.write('%d %.9g\n' % (i, value))


if __name__ == '__main__':
    tf.app.run(main)
