"""Two networks against each other: variables by a helper in the middle of expressions."""
import os

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string('ps_hosts', '', 'Comma-separated hosts')
flags.DEFINE_string('worker_hosts', '', 'Comma-separated hosts')
flags.DEFINE_string('job_name', '', 'ps or worker')
flags.DEFINE_integer('task_index', 0, 'Index of the task')
flags.DEFINE_string('dir', '/tmp/train', 'Output directory')
FLAGS = flags.FLAGS


def weight(name, shape):
    # One seed for all, as many programs have it.
    initializer = tf.truncated_normal_initializer(stddev=0.3, seed=11)
    return tf.get_variable(name, shape, initializer=initializer)


def generator(z):
    with tf.variable_scope('generator'):
        h = tf.nn.relu(tf.matmul(z, weight('g1', [4, 8])))
        return tf.tanh(tf.matmul(h, weight('g2', [8, 6])))


def discriminator(x, keep, reuse=False):
    with tf.variable_scope('discriminator') as scope:
        if reuse:
            scope.reuse_variables()
        h = tf.nn.leaky_relu(tf.matmul(x, weight('d1', [6, 8])))
        h = tf.cond(keep, lambda: h, lambda: 0.9 * h)
        return tf.matmul(h, weight('d2', [8, 1]))


def main(_):
    cluster = tf.train.ClusterSpec({'ps': FLAGS.ps_hosts.split(','),
                                    'worker': FLAGS.worker_hosts.split(',')})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name,
                             task_index=FLAGS.task_index)
    if FLAGS.job_name == 'ps':
        server.join()

    with tf.device(tf.train.replica_device_setter(cluster=cluster)):
        z = tf.placeholder(tf.float32, [None, 4], name='z')
        real = tf.placeholder(tf.float32, [None, 6], name='real')
        keep = tf.placeholder_with_default(False, (), name='keep')
        fake = generator(z)
        d_real = discriminator(real, keep)
        d_fake = discriminator(fake, keep, reuse=True)
        d_loss = (
            tf.reduce_mean(tf.nn.softplus(-d_real)) + tf.reduce_mean(tf.nn.softplus(d_fake)))
        g_loss = tf.reduce_mean(tf.nn.softplus(-d_fake))
        d_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope='discriminator')
        g_vars = tf.trainable_variables('generator')
        global_step = tf.train.get_or_create_global_step()
        d_train = tf.train.AdamOptimizer(0.001, beta1=0.5).minimize(d_loss, var_list=d_vars)
        g_train = tf.train.AdamOptimizer(0.001, beta1=0.5).minimize(
            g_loss, var_list=g_vars, global_step=global_step)
        best = tf.get_variable('best', (), initializer=tf.constant_initializer(10.0),
                               trainable=False)
        with tf.control_dependencies([g_loss]):
            update_best = tf.assign(best, tf.minimum(best, g_loss))

    rng = np.random.RandomState(7)
    hooks = [tf.train.StopAtStepHook(num_steps=40)]
    with open(os.path.join(FLAGS.dir, 'loss.%d' % FLAGS.task_index), 'w') as log:
        with tf.train.MonitoredTrainingSession(
                master=server.target, is_chief=(FLAGS.task_index == 0),
                hooks=hooks) as sess:
            while not sess.should_stop():
                zs = rng.uniform(-1, 1, [8, 4])
                xs = rng.uniform(-1, 1, [8, 6])
                _, dl = sess.run([d_train, d_loss], feed_dict={z: zs, real: xs, keep: True})
                log.write('%d %.9g\n' % (0, dl))
                lowest, gl = sess.run([update_best, g_loss], feed_dict={z: zs})
                log.write('%d %.9g\n%d %.9g\n' % (1, lowest, 1, gl))
                _, gl, gs = sess.run([g_train, g_loss, global_step], feed_dict={z: zs})
                log.write('%d %.9g\n' % (gs, gl))


if __name__ == '__main__':
    tf.app.run()
