"""Synchronous or asynchronous linear regression, with the chief's queue runner started
by hand as the first releases of SyncReplicasOptimizer asked for."""
import os

import numpy as np
import tensorflow as tf

# Cluster
tf.app.flags.DEFINE_string('ps_hosts', 'localhost:2222', 'parameter servers')
tf.app.flags.DEFINE_string('worker_hosts', 'localhost:2223', 'workers')
tf.app.flags.DEFINE_string('job_name', 'worker', 'ps or worker')
tf.app.flags.DEFINE_integer('task_index', 0, 'index of the task')
# Training
tf.app.flags.DEFINE_boolean('issync', True, 'synchronous training')
tf.app.flags.DEFINE_float('learning_rate', 0.2, 'initial learning rate')
tf.app.flags.DEFINE_integer('steps_to_train', 20, 'steps')
tf.app.flags.DEFINE_string('dir', '/tmp/sync', 'directory')

FLAGS = tf.app.flags.FLAGS
learning_rate = FLAGS.learning_rate
steps_to_train = FLAGS.steps_to_train


def main(_):
  ps_hosts = FLAGS.ps_hosts.split(',')
  worker_hosts = FLAGS.worker_hosts.split(',')
  cluster = tf.train.ClusterSpec({'ps': ps_hosts, 'worker': worker_hosts})
  server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)

  issync = FLAGS.issync
  if FLAGS.job_name == 'ps':
    server.join()
  elif FLAGS.job_name == 'worker':
    with tf.device(tf.train.replica_device_setter(
        worker_device='/job:worker/task:%d' % FLAGS.task_index,
        cluster=cluster)):
      global_step = tf.Variable(0, name='global_step', trainable=False)

      inputs = tf.placeholder('float', [None, 2])
      label = tf.placeholder('float', [None, 1])

      weight = tf.get_variable('weight', [2, 1], tf.float32,
                               initializer=tf.constant_initializer(0.5))
      biase = tf.get_variable('biase', [1], tf.float32,
                              initializer=tf.zeros_initializer())
      pred = tf.add(tf.matmul(inputs, weight), biase)
      loss_value = tf.losses.huber_loss(label, pred, delta=2.0)

      rate = tf.train.natural_exp_decay(learning_rate, global_step, 10, 0.3)
      optimizer = tf.train.GradientDescentOptimizer(rate)

      if issync:
        # Gradients of all workers are averaged before each update.
        optimizer = tf.train.SyncReplicasOptimizer(
            optimizer,
            replicas_to_aggregate=len(worker_hosts),
            total_num_replicas=len(worker_hosts),
            use_locking=True)

      grads_and_vars = optimizer.compute_gradients(loss_value)
      capped = [(tf.clip_by_value(grad, -1., 1.), var) for grad, var in grads_and_vars]
      train_op = optimizer.apply_gradients(capped, global_step=global_step)

      scaffold = None
      if issync:
        init_token_op = optimizer.get_init_tokens_op(num_tokens=0)
        chief_queue_runner = optimizer.get_chief_queue_runner()
        local_init_op = optimizer.local_step_init_op
        if FLAGS.task_index == 0:
          local_init_op = optimizer.chief_init_op
          tf.train.add_queue_runner(chief_queue_runner)
        scaffold = tf.train.Scaffold(
            local_init_op=local_init_op,
            ready_for_local_init_op=optimizer.ready_for_local_init_op)

    rng = np.random.RandomState(10 + FLAGS.task_index)
    hooks = [tf.train.StopAtStepHook(last_step=steps_to_train)]
    with tf.train.MonitoredTrainingSession(
        master=server.target,
        is_chief=(FLAGS.task_index == 0),
        checkpoint_dir=os.path.join(FLAGS.dir, 'train'),
        hooks=hooks,
        scaffold=scaffold,
        save_checkpoint_secs=60,
        stop_grace_period_secs=1,
        config=tf.ConfigProto(
            allow_soft_placement=True,
            device_filters=['/job:ps', '/job:worker/task:%d' % FLAGS.task_index])) as sess:
      if issync and FLAGS.task_index == 0:
        sess.run(init_token_op)
      log = open(os.path.join(FLAGS.dir, 'loss.%d' % FLAGS.task_index), 'w')
      while not sess.should_stop():
        train_x = rng.randn(8, 2)
        train_y = 2 * train_x[:, :1] - 3 * train_x[:, 1:] + 0.5
        _, loss_v, step = sess.run([train_op, loss_value, global_step],
                                   feed_dict={inputs: train_x, label: train_y})
        log.write('%d %r\n' % (step, float(loss_v)))
        log.flush()
        if step % 10 == 0:
          print('step: %d, loss: %f' % (step, loss_v))
      log.close()


if __name__ == '__main__':
  tf.app.run()
