# A wide model on hashed ids: tables are partitioned over the parameter servers.
import numpy as np
import tensorflow as tf
from tensorflow.python.ops import partitioned_variables

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_string('ps_hosts', '', 'ps hosts')
flags.DEFINE_string('worker_hosts', '', 'worker hosts')
flags.DEFINE_string('job_name', '', 'job name')
flags.DEFINE_integer('task_index', 0, 'task index')
flags.DEFINE_string('dir', '/tmp/wide', 'output')
flags.DEFINE_integer('max_steps', 30, 'steps')
flags.DEFINE_integer('buckets', 23, 'hash buckets')
flags.DEFINE_integer('dim', 4, 'embedding size')


def embed(ids, name, rows):
    """Vectors of `ids` from a table of its own."""
    with tf.variable_scope(name):
        table = tf.get_variable(
            'table', shape=[rows, FLAGS.dim],
            initializer=tf.random_normal_initializer(stddev=0.1))
        return tf.nn.embedding_lookup(table, ids, partition_strategy='mod')


def model(users, items):
    num_ps = len(FLAGS.ps_hosts.split(','))
    partitioner = partitioned_variables.min_max_variable_partitioner(
        max_partitions=num_ps, min_slice_size=64)
    with tf.variable_scope('wide', partitioner=partitioner):
        user = embed(users, 'user', FLAGS.buckets)
        item = embed(items, 'item', FLAGS.buckets)
    with tf.variable_scope('bias'):
        bias = tf.get_variable('bias', initializer=tf.constant(0.0))
    return tf.reduce_sum(user * item, axis=1) + bias


def main(_):
    hosts = {'ps': FLAGS.ps_hosts.split(',')}
    hosts['worker'] = FLAGS.worker_hosts.split(',')
    cluster = tf.train.ClusterSpec(hosts)
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index,
                             protocol='grpc')
    if FLAGS.job_name == 'ps':
        server.join()
        return

    greedy = tf.contrib.training.GreedyLoadBalancingStrategy(
        cluster.num_tasks('ps'), tf.contrib.training.byte_size_load_fn)
    with tf.device(tf.train.replica_device_setter(cluster=cluster, ps_strategy=greedy)):
        global_step = tf.train.create_global_step()
        users = tf.placeholder(tf.int64, shape=[None], name='users')
        items = tf.placeholder(tf.int64, shape=[None], name='items')
        clicks = tf.placeholder(tf.float32, shape=[None], name='clicks')

        logits = model(users, items)
        losses = tf.nn.weighted_cross_entropy_with_logits(
            targets=clicks, logits=logits, pos_weight=2.0)
        loss = tf.reduce_mean(losses)
        opt = tf.train.ProximalAdagradOptimizer(
            0.5, l2_regularization_strength=0.001)
        train_op = opt.minimize(loss, global_step=global_step)

    rng = np.random.RandomState(3 + FLAGS.task_index)
    hooks = [tf.train.StopAtStepHook(last_step=FLAGS.max_steps),
             tf.train.NanTensorHook(loss, fail_on_nan_loss=False)]
    config = tf.ConfigProto(
        device_filters=['/job:ps', '/job:worker/task:%d' % FLAGS.task_index])
    with tf.train.MonitoredTrainingSession(
            master=server.target, is_chief=FLAGS.task_index == 0,
            checkpoint_dir=FLAGS.dir + '/train', hooks=hooks, config=config,
            save_checkpoint_secs=None, save_checkpoint_steps=10) as sess:
        loss_file = open('{}/loss.{}'.format(FLAGS.dir, FLAGS.task_index), 'w')
        while not sess.should_stop():
            u = rng.randint(FLAGS.buckets, size=32)
            i = rng.randint(FLAGS.buckets, size=32)
            loss_value, step, _ = sess.run(
                [loss, global_step, train_op],
                {users: u, items: i, clicks: (u + i) % 2})
            loss_file.write('{} {!r}\n'.format(step, float(loss_value)))
            loss_file.flush()


if __name__ == '__main__':
    tf.app.run()
