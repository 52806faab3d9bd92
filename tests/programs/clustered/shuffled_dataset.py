"""A model class fed by a dataset that shuffles by a seed, one iterator per worker."""
import os

import numpy as np
import tensorflow as tf

tf.app.flags.DEFINE_string('ps_hosts', '', 'Comma-separated hosts')
tf.app.flags.DEFINE_string('worker_hosts', '', 'Comma-separated hosts')
tf.app.flags.DEFINE_string('job_name', '', 'ps or worker')
tf.app.flags.DEFINE_integer('task_index', 0, 'Index of the task')
tf.app.flags.DEFINE_string('dir', '/tmp/train', 'Output directory')
FLAGS = tf.app.flags.FLAGS


class LinearModel(object):
    def __init__(self, features, classes, scope='linear'):
        self.features = features
        self.classes = classes
        self.scope = scope

    def __call__(self, x):
        with tf.variable_scope(self.scope):
            self.w = tf.get_variable('w', [self.features, self.classes],
                                     initializer=tf.constant_initializer(0.1))
            b = tf.get_variable('b', [self.classes], initializer=tf.zeros_initializer())
        return tf.matmul(x, self.w) + b


def main(_):
    cluster = tf.train.ClusterSpec({'ps': FLAGS.ps_hosts.split(','),
                                    'worker': FLAGS.worker_hosts.split(',')})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name,
                             task_index=FLAGS.task_index)
    if FLAGS.job_name == 'ps':
        server.join()

    rng = np.random.RandomState(3)
    features = rng.randn(40, 5).astype('float32')
    labels = np.argmax(features[:, :3], 1).astype('int64')
    with tf.device(tf.train.replica_device_setter(cluster=cluster)):
        dataset = tf.data.Dataset.from_tensor_slices((features, labels))
        dataset = dataset.shuffle(30, seed=7).batch(4)
        iterator = dataset.repeat().prefetch(1).make_initializable_iterator()
        x, y = iterator.get_next()
        model = LinearModel(5, 3)
        logits = model(x)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
            logits=logits, labels=y))
        first = x[0, 0]
        step = tf.train.get_or_create_global_step()
        rate = tf.train.cosine_decay(0.5, step, 60)
        train_op = tf.train.GradientDescentOptimizer(rate).minimize(loss, global_step=step)

    scaffold = tf.train.Scaffold(local_init_op=tf.group(
        tf.local_variables_initializer(), iterator.initializer))
    with tf.train.MonitoredTrainingSession(
            master=server.target, is_chief=FLAGS.task_index == 0, scaffold=scaffold,
            hooks=[tf.train.StopAtStepHook(40)]) as sess:
        with open(os.path.join(FLAGS.dir, 'loss.%d' % FLAGS.task_index), 'w') as f:
            while not sess.should_stop():
                _, value, drawn = sess.run([train_op, loss, first])
                f.write('%.9g %.9g\n' % (drawn, value))


if __name__ == '__main__':
    tf.app.run()
