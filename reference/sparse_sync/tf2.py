"""Synchronous training of an embedding: each worker's batch touches some of its rows.

A row is touched by both workers in some steps, by one in others, by none in the rest.
Start one process per task, e.g. for one parameter server and two workers:

  python tf1.py --job_name=ps --task_index=0 --ps_hosts=... --worker_hosts=...
  python tf1.py --job_name=worker --task_index=0 ...
  python tf1.py --job_name=worker --task_index=1 ...
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import tempfile

import numpy as np
import tensorflow as tf
import training_session

flags = tf.compat.v1.app.flags
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


def examples(task_index, number):
  """Ids of a batch, in order and each once, and what is wanted of them.

  TF1's accumulator takes the rows of a gradient to be sorted and distinct.
  """
  rng = np.random.RandomState(1000 * (10 * FLAGS.seed + task_index) + number)
  ids = np.sort(rng.choice(ROWS // 2, IDS, replace=False)) + task_index * ROWS // 4
  return ids.astype(np.int32), np.stack([np.sin(ids), np.cos(ids)], axis=1)


def main(_):
  ps_hosts = FLAGS.ps_hosts.split(",")
  worker_hosts = FLAGS.worker_hosts.split(",")
  cluster = tf.train.ClusterSpec({"ps": ps_hosts, "worker": worker_hosts})
  if FLAGS.job_name == "ps":
    training_session.leave("Synchronous training needs no parameter server.")
  strategy = tf.distribute.MultiWorkerMirroredStrategy(
      cluster_resolver=tf.distribute.cluster_resolver.SimpleClusterResolver(
          training_session.workers_only(cluster),
          task_type="worker",
          task_id=FLAGS.task_index,
          rpc_layer="grpc"))
  replicas = training_session.SynchronousReplicas(strategy, FLAGS.task_index)

  is_chief = (FLAGS.task_index == 0)
  num_workers = len(worker_hosts)
  table_0, w_0 = [v.astype(FLAGS.dtype) for v in initial_values()]

  with strategy.scope(), replicas.recording():
    global_step = training_session.create_global_step()
    table = tf.Variable(table_0, name="table")
    w = tf.Variable(w_0, name="w")
    if FLAGS.optimizer == "sgd":
      opt = tf.compat.v1.train.GradientDescentOptimizer(0.2)
    elif FLAGS.optimizer == "momentum":
      opt = tf.compat.v1.train.MomentumOptimizer(0.05, 0.9)
    else:
      opt = tf.compat.v1.train.AdagradOptimizer(0.2)
    replicas.check_aggregation(num_workers, num_workers)

    @replicas.step_function(
        tf.TensorSpec([None], tf.int32),
        tf.TensorSpec([None, OUTPUTS], tf.as_dtype(FLAGS.dtype)))
    def train_step(ids, y):
      with tf.GradientTape() as tape:
        predicted = tf.matmul(tf.nn.embedding_lookup(table, ids), w)
        loss = tf.reduce_mean(tf.reduce_sum(tf.square(predicted - y), axis=1))
      variables = replicas.trainable_variables
      gradients = tape.gradient(loss, variables)
      opt.apply_gradients(zip(replicas.average(gradients), variables), global_step=global_step)
      return loss

  # No spare tokens: a worker takes part in a step once.
  hooks = [training_session.StopAtStepHook(last_step=FLAGS.train_steps)]
  checkpoint_dir = FLAGS.checkpoint_dir or tempfile.mkdtemp()
  losses = []
  with training_session.MonitoredTrainingSession(
      replicas,
      is_chief=is_chief,
      checkpoint_dir=checkpoint_dir,
      save_checkpoint_steps=100000,
      save_summaries_steps=None,
      log_step_count_steps=None,
      hooks=hooks) as sess:
    number = 0
    while not sess.should_stop():
      batch_ids, batch_y = examples(FLAGS.task_index, number)
      loss_value = sess.run(train_step, batch_ids, batch_y)
      losses.append(loss_value)
      number += 1

  print("worker %d: loss %g" % (FLAGS.task_index, losses[-1]))
  if FLAGS.trace:
    trace = {"loss": losses}
    if is_chief:
      reader = tf.train.load_checkpoint(checkpoint_dir)
      trace.update({"final/" + name: [reader.get_tensor(name)]
                    for name in reader.get_variable_to_shape_map()
                    if name != "sync_rep_local_step"})
    np.savez("%s.%d.npz" % (FLAGS.trace, FLAGS.task_index), **trace)


if __name__ == "__main__":
  tf.compat.v1.app.run()
