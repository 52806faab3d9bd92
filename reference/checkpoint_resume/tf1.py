"""A training that goes on where its last checkpoint was: weights, slots and step.

Several optimizers train side by side, each a model of its own with a table that is
partitioned over the parameter servers; some follow a schedule. Which examples a step
reads depends on the global step alone, so an interrupted training and one that was not
see the same.

Start one process per task, and start them again to go on:

  python tf1.py --job_name=ps --task_index=0 --ps_hosts=... --worker_hosts=...
  python tf1.py --job_name=ps --task_index=1 ...
  python tf1.py --job_name=worker --task_index=0 ...
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import tempfile

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("checkpoint_dir", None, "Directory of checkpoints")
flags.DEFINE_string("trace", None, "Prefix of the file that gets each step's values")
flags.DEFINE_string("dtype", "float32", "float32 or float64")
flags.DEFINE_integer("train_steps", 200, "Global step at which training is done")
flags.DEFINE_integer("save_steps", 100, "Steps between two checkpoints")
flags.DEFINE_integer("seed", 1, "Seed of weights and data")
flags.DEFINE_string("ps_hosts", "localhost:2222,localhost:2223",
                    "Comma-separated list of hostname:port pairs")
flags.DEFINE_string("worker_hosts", "localhost:2224",
                    "Comma-separated list of hostname:port pairs")
flags.DEFINE_string("job_name", None, "job name: worker or ps")
flags.DEFINE_integer("task_index", None, "Worker task index; 0 is the chief")

FLAGS = flags.FLAGS

FEATURES, VOCABULARY, OUTPUTS, BATCH = 6, 15, 3, 16


def examples(number):
  """The batch of one step."""
  rng = np.random.RandomState(1000 * FLAGS.seed + number)
  return (0.5 * rng.randn(BATCH, FEATURES),
          rng.randint(VOCABULARY, size=(BATCH, 2)),
          0.5 * rng.randn(BATCH, OUTPUTS))


def initial_rows(shape, dtype=tf.float32, partition_info=None):
  """The rows of one shard of a matrix that does not depend on the shards."""
  rows, start, full_shape = shape[0], 0, shape
  if partition_info is not None:
    start, full_shape = partition_info.var_offset[0], partition_info.full_shape
  whole = 0.3 * np.random.RandomState(FLAGS.seed).randn(*full_shape)
  return tf.constant(whole[start:start + rows], dtype)


def predict(name, features, ids, dtype):
  """A linear model of dense features and of two ids per example."""
  with tf.variable_scope(name):
    w = tf.get_variable("w", [FEATURES, OUTPUTS], dtype, initial_rows)
    table = tf.get_variable("table", [VOCABULARY, OUTPUTS], dtype, initial_rows,
                            partitioner=tf.fixed_size_partitioner(2))
    vectors = tf.nn.embedding_lookup(table, ids, partition_strategy="div")
    return tf.matmul(features, w) + tf.reduce_sum(vectors, axis=1)


def squared_error(predicted, wanted):
  return tf.reduce_mean(tf.reduce_sum(tf.square(predicted - wanted), axis=1))


def main(_):
  cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                  "worker": FLAGS.worker_hosts.split(",")})
  server = tf.train.Server(
      cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
  if FLAGS.job_name == "ps":
    server.join()

  with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    global_step = tf.train.get_or_create_global_step()
    dtype = tf.as_dtype(FLAGS.dtype)
    x = tf.placeholder(dtype, [None, FEATURES])
    ids = tf.placeholder(tf.int32, [None, 2])
    y = tf.placeholder(dtype, [None, OUTPUTS])

    rate = tf.train.exponential_decay(0.1, global_step, 20, 0.8, staircase=True)

    sgd_loss = squared_error(predict("sgd", x, ids, dtype), y)
    sgd = tf.train.GradientDescentOptimizer(rate)
    sgd_op = sgd.minimize(sgd_loss)

    momentum_loss = squared_error(predict("momentum", x, ids, dtype), y)
    momentum = tf.train.MomentumOptimizer(rate, 0.9)
    momentum_op = momentum.minimize(momentum_loss)

    adagrad_loss = squared_error(predict("adagrad", x, ids, dtype), y)
    adagrad = tf.train.AdagradOptimizer(0.2)
    adagrad_op = adagrad.minimize(adagrad_loss)

    adadelta_loss = squared_error(predict("adadelta", x, ids, dtype), y)
    adadelta = tf.train.AdadeltaOptimizer(1.0, rho=0.9, epsilon=1e-6)
    adadelta_op = adadelta.minimize(adadelta_loss)

    rmsprop_loss = squared_error(predict("rmsprop", x, ids, dtype), y)
    rmsprop = tf.train.RMSPropOptimizer(0.01, momentum=0.5, centered=True)
    rmsprop_op = rmsprop.minimize(rmsprop_loss)

    ftrl_loss = squared_error(predict("ftrl", x, ids, dtype), y)
    ftrl = tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01)
    ftrl_op = ftrl.minimize(ftrl_loss)

    # The last one counts the step.
    adam_loss = squared_error(predict("adam", x, ids, dtype), y)
    adam = tf.train.AdamOptimizer(rate)
    adam_op = adam.minimize(adam_loss, global_step=global_step)

  checkpoint_dir = FLAGS.checkpoint_dir or tempfile.mkdtemp()
  steps, losses = [], []
  with tf.train.MonitoredTrainingSession(
      master=server.target,
      is_chief=(FLAGS.task_index == 0),
      checkpoint_dir=checkpoint_dir,
      save_checkpoint_steps=FLAGS.save_steps,
      save_summaries_steps=None,
      log_step_count_steps=None,
      hooks=[tf.train.StopAtStepHook(last_step=FLAGS.train_steps)]) as sess:
    while not sess.should_stop():
      step = sess.run(global_step)
      features, words, wanted = examples(step)
      feed = {x: features, ids: words, y: wanted}
      steps.append(step)
      losses.append({
          "sgd": sess.run([sgd_op, sgd_loss], feed)[1],
          "momentum": sess.run([momentum_op, momentum_loss], feed)[1],
          "adagrad": sess.run([adagrad_op, adagrad_loss], feed)[1],
          "adadelta": sess.run([adadelta_op, adadelta_loss], feed)[1],
          "rmsprop": sess.run([rmsprop_op, rmsprop_loss], feed)[1],
          "ftrl": sess.run([ftrl_op, ftrl_loss], feed)[1],
          "adam": sess.run([adam_op, adam_loss], feed)[1]})

  print("steps %d to %d, final losses: %s" % (steps[0], steps[-1], losses[-1]))
  if FLAGS.trace:
    trace = {"loss/" + name: [l[name] for l in losses] for name in losses[0]}
    # Weights, slots and step at the end, as the checkpoint has them.
    reader = tf.train.load_checkpoint(checkpoint_dir)
    trace.update({"final/" + name: [reader.get_tensor(name)]
                  for name in reader.get_variable_to_shape_map()})
    np.savez("%s.%d.npz" % (FLAGS.trace, FLAGS.task_index), global_step=steps, **trace)


if __name__ == "__main__":
  tf.app.run()
