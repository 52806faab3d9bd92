"""A run of a worker takes a batch to train on and one to measure on, and merges both summaries."""
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
    features = rng.randn(40, 5).astype('float32')
    labels = np.argmax(features[:, :3], 1).astype('int64')
    with tf.device(tf.train.replica_device_setter(cluster=cluster)):
        train_set = tf.data.Dataset.from_tensor_slices((features[:28], labels[:28]))
        x, y = train_set.repeat().batch(4).make_one_shot_iterator().get_next()
        validate_set = tf.data.Dataset.from_tensor_slices((features[28:], labels[28:]))
        validate_x, validate_y = (
            validate_set.repeat().batch(6).make_one_shot_iterator().get_next())
        w = tf.get_variable('w', [5, 3], initializer=tf.constant_initializer(0.1))
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
            logits=tf.matmul(x, w), labels=y))
        correct = tf.equal(tf.argmax(tf.matmul(validate_x, w), 1), validate_y)
        accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))
        step = tf.train.get_or_create_global_step()
        train_op = tf.train.AdagradOptimizer(0.5).minimize(loss, global_step=step)
        tf.summary.scalar('loss', loss)
        tf.summary.scalar('accuracy', accuracy)
        summary_op = tf.summary.merge_all()

    with tf.train.MonitoredTrainingSession(
            master=server.target, is_chief=FLAGS.task_index == 0,
            hooks=[tf.train.StopAtStepHook(30)]) as sess:
        with open(os.path.join(FLAGS.dir, 'loss.%d' % FLAGS.task_index), 'w') as f:
            at = 0
            while not sess.should_stop():
                _, value = sess.run([train_op, loss])
                f.write('%d %.9g\n' % (at, value))
                at += 1
                if at % 4 == 0 and not sess.should_stop():
                    measured, summary = sess.run([accuracy, summary_op])
                    values = {v.tag: v.simple_value
                              for v in tf.Summary.FromString(summary).value}
                    f.write('%d %.9g\n' % (100 + at, measured))
                    f.write('%d %.9g\n' % (200 + at, values['loss']))


if __name__ == '__main__':
    tf.app.run()
