"""A worker's loss has the slope of a network by its input."""
import os

import numpy as np
import tensorflow as tf

tf.app.flags.DEFINE_string('ps_hosts', '', 'Comma-separated hosts')
tf.app.flags.DEFINE_string('worker_hosts', '', 'Comma-separated hosts')
tf.app.flags.DEFINE_string('job_name', '', 'ps or worker')
tf.app.flags.DEFINE_integer('task_index', 0, 'Index of the task')
tf.app.flags.DEFINE_string('dir', '/tmp/train', 'Output directory')
FLAGS = tf.app.flags.FLAGS


def critic(x, reuse):
    first, second = (tf.constant_initializer(np.random.RandomState(i).randn(*shape) * .5)
                     for i, shape in enumerate([(3, 4), (4, 1)]))
    with tf.variable_scope('critic', reuse=reuse):
        hidden = tf.layers.dense(x, 4, tf.nn.tanh, name='hidden',
                                 kernel_initializer=first)
        return tf.layers.dense(hidden, 1, name='out', kernel_initializer=second)


def main(_):
    cluster = tf.train.ClusterSpec({'ps': FLAGS.ps_hosts.split(','),
                                    'worker': FLAGS.worker_hosts.split(',')})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name,
                             task_index=FLAGS.task_index)
    if FLAGS.job_name == 'ps':
        server.join()

    with tf.device(tf.train.replica_device_setter(
            worker_device='/job:worker/task:%d' % FLAGS.task_index, cluster=cluster)):
        real = tf.placeholder(tf.float32, [6, 3])
        fake = tf.placeholder(tf.float32, [6, 3])
        mixed = .25 * real + .75 * fake
        slopes = tf.reduce_sum(tf.gradients(critic(mixed, False), mixed)[0] ** 2, 1)
        penalty = tf.reduce_mean((slopes - 1.) ** 2)
        score = tf.reduce_mean(critic(fake, True) ** 2 + (critic(real, True) - 1.) ** 2)
        loss = score + 2. * penalty
        step = tf.train.get_or_create_global_step()
        train_op = tf.train.GradientDescentOptimizer(.02).minimize(loss, global_step=step)

    rng = np.random.RandomState(3)
    with tf.train.MonitoredTrainingSession(
            master=server.target, is_chief=FLAGS.task_index == 0,
            hooks=[tf.train.StopAtStepHook(20)]) as sess:
        with open(os.path.join(FLAGS.dir, 'loss.%d' % FLAGS.task_index), 'w') as f:
            at = 0
            while not sess.should_stop():
                feed = {real: rng.randn(6, 3) + 1., fake: rng.randn(6, 3)}
                _, value, slope = sess.run([train_op, loss, penalty], feed)
                f.write('%d %.9g\n' % (at, value))
                f.write('%d %.9g\n' % (100 + at, slope))
                at += 1


if __name__ == '__main__':
    tf.app.run()
