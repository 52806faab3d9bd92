"""Learning rates that are fed, kept in a variable, and computed; gradients in a loop."""
import os

import numpy as np
import tensorflow as tf

tf.app.flags.DEFINE_string('ps_hosts', '', 'Comma-separated hosts')
tf.app.flags.DEFINE_string('worker_hosts', '', 'Comma-separated hosts')
tf.app.flags.DEFINE_string('job_name', '', 'ps or worker')
tf.app.flags.DEFINE_integer('task_index', 0, 'Index of the task')
tf.app.flags.DEFINE_string('dir', '/tmp/train', 'Output directory')
FLAGS = tf.app.flags.FLAGS


def main(_):
    cluster = tf.train.ClusterSpec({'ps': FLAGS.ps_hosts.split(','),
                                    'worker': FLAGS.worker_hosts.split(',')})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name,
                             task_index=FLAGS.task_index)
    if FLAGS.job_name == 'ps':
        server.join()

    rng = np.random.RandomState(3)
    start = {'hidden': rng.randn(6, 5) * 0.4, 'out': rng.randn(5, 1) * 0.4}
    with tf.device(tf.train.replica_device_setter(cluster=cluster)):
        x = tf.placeholder(tf.float32, [None, 6])
        y = tf.placeholder(tf.float32, [None, 1])
        fed_rate = tf.placeholder(tf.float32, [])
        weights = {
            'hidden': tf.Variable(start['hidden'].astype(np.float32), name='hidden'),
            'out': tf.Variable(start['out'].astype(np.float32), name='out'),
        }
        biases = {
            'hidden': tf.Variable(tf.zeros([5]), name='hidden_bias'),
            'out': tf.Variable(tf.zeros([1]), name='out_bias'),
        }
        net = {}
        net['hidden'] = tf.tanh(tf.matmul(x, weights['hidden']) + biases['hidden'])
        net['out'] = tf.matmul(net['hidden'], weights['out']) + biases['out']
        loss = tf.reduce_mean(tf.reduce_sum(tf.square(net['out'] - y), axis=1))
        step = tf.train.get_or_create_global_step()

        # A rate that is fed, with gradients that are scaled one by one.
        momentum = tf.train.MomentumOptimizer(fed_rate, 0.9)
        pairs = []
        for gradient, variable in momentum.compute_gradients(
                loss, var_list=[weights['hidden'], biases['hidden']]):
            if gradient is None:
                continue
            if 'bias' in variable.name:
                gradient = 2.0 * gradient
            pairs.append((tf.clip_by_norm(gradient, 0.5), variable))
        hidden_op = momentum.apply_gradients(pairs)

        # A rate that is computed from the step, and the step counted by hand.
        rate = 0.05 * tf.rsqrt(tf.cast(step, tf.float32) + 1.0)
        out_op = tf.train.GradientDescentOptimizer(rate).minimize(
            loss, var_list=[weights['out']])
        with tf.control_dependencies([out_op]):
            count = tf.assign_add(step, 1)

        # A rate in a variable that the loop changes; two updates in one run.
        kept = tf.get_variable('kept', initializer=0.02, trainable=False)
        halve = tf.assign(kept, kept * 0.5)
        last_op = tf.group(
            tf.train.AdamOptimizer(kept).minimize(loss, var_list=[biases['out']]),
            tf.train.GradientDescentOptimizer(0.001).minimize(
                tf.reduce_mean(tf.reduce_sum(tf.abs(net['out'] - y), axis=1)),
                var_list=[weights['out']]))

    data = np.random.RandomState(FLAGS.task_index)
    with open(os.path.join(FLAGS.dir, 'loss.%d' % FLAGS.task_index), 'w') as log:
        with tf.train.MonitoredTrainingSession(
                master=server.target, is_chief=(FLAGS.task_index == 0),
                hooks=[tf.train.StopAtStepHook(last_step=40)]) as sess:
            while not sess.should_stop():
                images = data.randn(8, 6)
                labels = np.sin(images[:, :1])
                feed = {x: images, y: labels}
                _, first = sess.run(
                    [hidden_op, loss],
                    {x: images, y: labels, fed_rate: 0.1 if images[0, 0] > 0 else 0.05})
                _, third = sess.run([last_op, loss], feed)
                if third < 0.4:
                    log.write('0 %.9g\n' % sess.run(halve))
                second = sess.run([count, loss], feed)[1]
                for value in (first, second, third):
                    log.write('1 %.9g\n' % value)


if __name__ == '__main__':
    tf.app.run()
