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
import training_session

flags = tf.compat.v1.app.flags
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
    return tf.compat.v1.train.MomentumOptimizer(learning_rate, 0.9)
  if name == "adam":
    return tf.compat.v1.train.AdamOptimizer(learning_rate)
  return tf.compat.v1.train.GradientDescentOptimizer(learning_rate)


def initial(number, shape):
  return 0.3 * np.random.RandomState(10 * FLAGS.seed + number).randn(*shape)


def main(unused_argv):
  # Construct the cluster and start the server.
  ps_hosts = FLAGS.ps_hosts.split(",")
  worker_hosts = FLAGS.worker_hosts.split(",")
  cluster = tf.train.ClusterSpec({"ps": ps_hosts, "worker": worker_hosts})
  if not FLAGS.sync_replicas:
    server = tf.distribute.Server(
        cluster,
        job_name=FLAGS.job_name,
        task_index=FLAGS.task_index,
        config=training_session.server_config())
  if FLAGS.job_name == "ps":
    if FLAGS.sync_replicas:
      training_session.leave("Synchronous training needs no parameter server.")
    server.join()
  if FLAGS.sync_replicas:
    strategy = tf.distribute.MultiWorkerMirroredStrategy(
        cluster_resolver=tf.distribute.cluster_resolver.SimpleClusterResolver(
            training_session.workers_only(cluster),
            task_type="worker",
            task_id=FLAGS.task_index,
            rpc_layer="grpc"))
    replicas = training_session.SynchronousReplicas(strategy, FLAGS.task_index)
  else:
    # Worker 0 is also the coordinator; the other workers serve it.
    if FLAGS.task_index != 0:
      training_session.serve(server)
    strategy = tf.distribute.ParameterServerStrategy(
        tf.distribute.cluster_resolver.SimpleClusterResolver(
            training_session.with_coordinator(cluster), rpc_layer="grpc"))
    replicas = training_session.AsynchronousReplicas(strategy, cluster)
  num_workers = len(worker_hosts)

  with strategy.scope(), replicas.recording():
    global_step = tf.Variable(0, name="global_step", trainable=False)

    dtype = tf.as_dtype(FLAGS.dtype)

    hid_w = tf.Variable(
        tf.constant(initial(1, [FEATURES, FLAGS.hidden_units]), dtype), name="hid_w")
    hid_b = tf.Variable(tf.zeros([FLAGS.hidden_units], dtype), name="hid_b")
    sm_w = tf.Variable(
        tf.constant(initial(2, [FLAGS.hidden_units, CLASSES]), dtype), name="sm_w")
    sm_b = tf.Variable(tf.zeros([CLASSES], dtype), name="sm_b")

    opt = make_optimizer(FLAGS.optimizer, FLAGS.learning_rate)
    if FLAGS.sync_replicas:
      if FLAGS.replicas_to_aggregate is None:
        replicas_to_aggregate = num_workers
      else:
        replicas_to_aggregate = FLAGS.replicas_to_aggregate
      replicas.check_aggregation(replicas_to_aggregate, num_workers)

    @replicas.step_function()
    def compute_hid_w_and_sm_w():
      return [hid_w, sm_w]

    @replicas.step_function(
        tf.TensorSpec([None, FEATURES], dtype),
        tf.TensorSpec([None, CLASSES], dtype))
    def train_step_with_global_step(x, y_):
      # A fetched variable has its value before the update.
      global_step_value = global_step.read_value()
      with tf.GradientTape() as tape:
        hid = tf.nn.relu(tf.compat.v1.nn.xw_plus_b(x, hid_w, hid_b))
        y = tf.compat.v1.nn.xw_plus_b(hid, sm_w, sm_b)
        loss = tf.reduce_mean(tf.reduce_sum(tf.square(y - y_), axis=1))
      variables = replicas.trainable_variables
      gradients = tape.gradient(loss, variables)
      opt.apply_gradients(zip(replicas.average(gradients), variables), global_step=global_step)
      return global_step_value, loss

  def run_worker(task_index):
    is_chief = (task_index == 0)
    rng = np.random.RandomState(100 * FLAGS.seed + task_index)
    saver = training_session.Saver(max_to_keep=2)
    losses = []
    # The chief initializes the session, the others wait for it.
    with training_session.MonitoredTrainingSession(
        replicas,
        is_chief=is_chief,
        checkpoint_dir=FLAGS.checkpoint_dir,
        scaffold=training_session.Scaffold(saver=saver),
        save_checkpoint_secs=600,
        save_summaries_secs=None,
        save_summaries_steps=None) as sess:
      begin = time.time()
      while not sess.should_stop() and len(losses) < FLAGS.train_steps:
        batch_xs = rng.randn(FLAGS.batch_size, FEATURES)
        batch_ys = np.eye(CLASSES)[np.argmax(batch_xs[:, :CLASSES], 1)]
        step, loss_value = sess.run(train_step_with_global_step, batch_xs, batch_ys)
        losses.append(loss_value)
        if len(losses) % 50 == 0:
          print("worker %d: global step %d, loss %g" % (task_index, step, loss_value))
      first, second = sess.run(compute_hid_w_and_sm_w)
      if (is_chief):
        saver.save(sess, (FLAGS.checkpoint_dir + "/model.ckpt"), global_step=global_step)
      sess.request_stop()

      if FLAGS.trace:
        np.savez("%s.%d.npz" % (FLAGS.trace, task_index), loss=losses,
                 hid_w=[first], sm_w=[second])
      print("Training took %.1f s" % (time.time() - begin))

  replicas.run(run_worker)


if __name__ == "__main__":
  tf.compat.v1.app.run()
