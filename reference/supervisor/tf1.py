"""A Supervisor's session on parameter servers, asynchronous or in the older synchronous form.

Start one process per task, e.g. for two parameter servers and one worker:

  python tf1.py --job_name=ps --task_index=0 --ps_hosts=... --worker_hosts=...
  python tf1.py --job_name=ps --task_index=1 ...
  python tf1.py --job_name=worker --task_index=0 ...
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import time

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("checkpoint_dir", None, "Directory of checkpoints and summaries")
flags.DEFINE_string("trace", None, "Prefix of the file that gets each step's loss")
flags.DEFINE_string("dtype", "float32", "float32 or float64")
flags.DEFINE_integer("train_steps", 100, "Number of (global) training steps")
flags.DEFINE_integer("batch_size", 20, "Training batch size")
flags.DEFINE_integer("hidden_units", 10, "Number of units in the hidden layer")
flags.DEFINE_float("learning_rate", 0.01, "Learning rate")
flags.DEFINE_string("optimizer", "sgd", "One of sgd, momentum, adam")
flags.DEFINE_integer("seed", 1, "Seed of the data and the initial values")
flags.DEFINE_string("ps_hosts", "localhost:2222",
                    "Comma-separated list of hostname:port pairs")
flags.DEFINE_string("worker_hosts", "localhost:2223",
                    "Comma-separated list of hostname:port pairs")
flags.DEFINE_boolean("sync_replicas", False,
                     "Average the gradients of all workers in every step")
flags.DEFINE_integer("replicas_to_aggregate", None,
                     "Number of gradients to average; default: one per worker")
flags.DEFINE_string("job_name", None, "job name: worker or ps")
flags.DEFINE_integer("task_index", None, "Worker task index; 0 is the chief")

FLAGS = flags.FLAGS

FEATURES = 8
CLASSES = 3


def make_optimizer(name, learning_rate):
  if name == "momentum":
    return tf.train.MomentumOptimizer(learning_rate, 0.9)
  if name == "adam":
    return tf.train.AdamOptimizer(learning_rate)
  return tf.train.GradientDescentOptimizer(learning_rate)


def initial(number, shape):
  return 0.3 * np.random.RandomState(10 * FLAGS.seed + number).randn(*shape)


def main(unused_argv):
  # Construct the cluster and start the server.
  ps_hosts = FLAGS.ps_hosts.split(",")
  worker_hosts = FLAGS.worker_hosts.split(",")
  cluster = tf.train.ClusterSpec({"ps": ps_hosts, "worker": worker_hosts})
  server = tf.train.Server(
      cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
  if FLAGS.job_name == "ps":
    server.join()

  is_chief = (FLAGS.task_index == 0)
  num_workers = len(worker_hosts)
  worker_device = "/job:worker/task:%d" % FLAGS.task_index
  rng = np.random.RandomState(100 * FLAGS.seed + FLAGS.task_index)

  with tf.device(tf.train.replica_device_setter(
      worker_device=worker_device,
      ps_device="/job:ps/cpu:0",
      cluster=cluster)):
    global_step = tf.Variable(0, name="global_step", trainable=False)

    dtype = tf.as_dtype(FLAGS.dtype)
    x = tf.placeholder(dtype, [None, FEATURES])
    y_ = tf.placeholder(dtype, [None, CLASSES])

    hid_w = tf.Variable(
        tf.constant(initial(1, [FEATURES, FLAGS.hidden_units]), dtype), name="hid_w")
    hid_b = tf.Variable(tf.zeros([FLAGS.hidden_units], dtype), name="hid_b")
    sm_w = tf.Variable(
        tf.constant(initial(2, [FLAGS.hidden_units, CLASSES]), dtype), name="sm_w")
    sm_b = tf.Variable(tf.zeros([CLASSES], dtype), name="sm_b")

    hid = tf.nn.relu(tf.nn.xw_plus_b(x, hid_w, hid_b))
    y = tf.nn.xw_plus_b(hid, sm_w, sm_b)
    loss = tf.reduce_mean(tf.reduce_sum(tf.square(y - y_), axis=1))

    opt = make_optimizer(FLAGS.optimizer, FLAGS.learning_rate)
    if FLAGS.sync_replicas:
      if FLAGS.replicas_to_aggregate is None:
        replicas_to_aggregate = num_workers
      else:
        replicas_to_aggregate = FLAGS.replicas_to_aggregate
      opt = tf.train.SyncReplicasOptimizer(
          opt,
          replicas_to_aggregate=replicas_to_aggregate,
          total_num_replicas=num_workers,
          name="sync_replicas")
    train_step = opt.minimize(loss, global_step=global_step)

    if FLAGS.sync_replicas:
      local_init_op = opt.local_step_init_op
      if is_chief:
        local_init_op = opt.chief_init_op
      ready_for_local_init_op = opt.ready_for_local_init_op
      # Initial token and chief queue runners required by the sync_replicas mode
      chief_queue_runner = opt.get_chief_queue_runner()
      sync_init_op = opt.get_init_tokens_op(num_tokens=0)

    init_op = tf.global_variables_initializer()
    saver = tf.train.Saver(max_to_keep=2)
    if FLAGS.sync_replicas:
      sv = tf.train.Supervisor(
          is_chief=is_chief,
          logdir=FLAGS.checkpoint_dir,
          init_op=init_op,
          local_init_op=local_init_op,
          ready_for_local_init_op=ready_for_local_init_op,
          recovery_wait_secs=1,
          summary_op=None,
          saver=saver,
          save_model_secs=600,
          global_step=global_step)
    else:
      sv = tf.train.Supervisor(
          is_chief=is_chief,
          logdir=FLAGS.checkpoint_dir,
          init_op=init_op,
          recovery_wait_secs=1,
          summary_op=None,
          saver=saver,
          save_model_secs=600,
          global_step=global_step)

  sess_config = tf.ConfigProto(
      allow_soft_placement=True,
      log_device_placement=False,
      device_filters=["/job:ps", worker_device])
  losses = []
  # The chief initializes the session, the others wait for it.
  sess = sv.prepare_or_wait_for_session(server.target, config=sess_config)
  if FLAGS.sync_replicas and is_chief:
    # The chief starts the queue runner of the tokens.
    sess.run(sync_init_op)
    sv.start_queue_runners(sess, [chief_queue_runner])

  begin = time.time()
  while not sv.should_stop() and len(losses) < FLAGS.train_steps:
    batch_xs = rng.randn(FLAGS.batch_size, FEATURES)
    batch_ys = np.eye(CLASSES)[np.argmax(batch_xs[:, :CLASSES], 1)]
    _, step, loss_value = sess.run([train_step, global_step, loss],
                                   feed_dict={x: batch_xs, y_: batch_ys})
    losses.append(loss_value)
    if len(losses) % 50 == 0:
      print("worker %d: global step %d, loss %g" % (FLAGS.task_index, step, loss_value))
  first, second = sess.run([hid_w, sm_w])
  if sv.is_chief:
    sv.saver.save(sess, sv.save_path, global_step=global_step)
  sv.request_stop()
  if not FLAGS.sync_replicas:
    sv.stop()  # The thread of the tokens would wait for a next step.

  if FLAGS.trace:
    np.savez("%s.%d.npz" % (FLAGS.trace, FLAGS.task_index), loss=losses,
             hid_w=[first], sm_w=[second])
  print("Training took %.1f s" % (time.time() - begin))


if __name__ == "__main__":
  tf.app.run()
