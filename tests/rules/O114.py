from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import tempfile

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("job_name", None, "job name: worker or ps")
flags.DEFINE_integer("task_index", None, "Worker task index; 0 is the chief")
flags.DEFINE_string("ps_hosts", "localhost:2222", "host:port of the parameter servers")
flags.DEFINE_string("worker_hosts", "localhost:2223,localhost:2224",
                    "host:port of the workers")
flags.DEFINE_string("checkpoint_dir", None, "Directory of checkpoints")
flags.DEFINE_string("trace", None, "Prefix of the file that gets each step's values")
flags.DEFINE_string("dtype", "float32", "float32 or float64")
flags.DEFINE_string("optimizer", "sgd", "sgd, momentum or adagrad")
flags.DEFINE_integer("train_steps", 120, "Number of training steps")
flags.DEFINE_integer("seed", 1, "Seed of weights and data")

FLAGS = flags.FLAGS

ROWS, COLUMNS, IDS, OUTPUTS = 40, 4, 6, 2

def initial_values():
  rng = np.random.RandomState(FLAGS.seed)
  return 0.5 * rng.randn(ROWS, COLUMNS), 0.5 * rng.randn(COLUMNS, OUTPUTS)

def main(_):
  ps_hosts = FLAGS.ps_hosts.split(",")
  worker_hosts = FLAGS.worker_hosts.split(",")
  cluster = tf.train.ClusterSpec({"ps": ps_hosts, "worker": worker_hosts})
  server = tf.train.Server(
      cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
  if FLAGS.job_name == "ps":
    server.join()

  is_chief = (FLAGS.task_index == 0)
  num_workers = len(worker_hosts)
  table_0, w_0 = [v.astype(FLAGS.dtype) for v in initial_values()]

  with tf.device(tf.train.replica_device_setter(
      worker_device="/job:worker/task:%d" % FLAGS.task_index,
      cluster=cluster)):
    global_step = tf.train.get_or_create_global_step()
    ids = tf.placeholder(tf.int32, [None])
    y = tf.placeholder(tf.as_dtype(FLAGS.dtype), [None, OUTPUTS])
    table = tf.get_variable("table", initializer=table_0)
    w = tf.get_variable("w", initializer=w_0)
    predicted = tf.matmul(tf.nn.embedding_lookup(table, ids), w)
    loss = tf.reduce_mean(tf.reduce_sum(tf.square(predicted - y), axis=1))
    if FLAGS.optimizer == "sgd":
      opt = tf.train.GradientDescentOptimizer(0.2)
    elif FLAGS.optimizer == "momentum":
      opt = tf.train.MomentumOptimizer(0.05, 0.9)
    else:
      opt = tf.train.AdagradOptimizer(0.2)
    opt = tf.train.SyncReplicasOptimizer(
        opt, replicas_to_aggregate=num_workers, total_num_replicas=num_workers)
    train_op = opt.minimize(loss, global_step=global_step)

  hooks = [opt.make_session_run_hook(is_chief, num_tokens=0),
           tf.train.StopAtStepHook(last_step=FLAGS.train_steps)]
  checkpoint_dir = FLAGS.checkpoint_dir or tempfile.mkdtemp()
  losses = []
  with tf.train.MonitoredTrainingSession(
      master=server.target,
      is_chief=is_chief,
      checkpoint_dir=checkpoint_dir,
      save_checkpoint_steps=100000,
      save_summaries_steps=None,
      log_step_count_steps=None,
      stop_grace_period_secs=2,
      hooks=hooks) as sess:
    number = 0
    while not sess.should_stop():
      batch_ids, batch_y = examples(FLAGS.task_index, number)
      _, loss_value = sess.run(
          [train_op, loss], feed_dict={ids: batch_ids, y: batch_y})
      losses.append(loss_value)
      number += 1

  print("worker %d: loss %g" % (FLAGS.task_index, losses[-1]))

if __name__ == "__main__":
  tf.app.run()
