"""Recurrent cells, a collected regulariser and streaming metrics, in one classifier.

A sequence is read by an LSTM and by a GRU, whose last states are classified. The
weights of the last layer are regularised; the metrics' values are read after each batch.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import tempfile

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("job_name", "worker", "job name: worker or ps")
flags.DEFINE_integer("task_index", 0, "Index of this task in its job")
flags.DEFINE_string("ps_hosts", "localhost:2222", "host:port of the parameter servers")
flags.DEFINE_string("worker_hosts", "localhost:2223", "host:port of the workers")
flags.DEFINE_string("checkpoint_dir", None, "Directory of checkpoints")
flags.DEFINE_string("trace", None, "Prefix of the file that gets each step's values")
flags.DEFINE_string("dtype", "float32", "float32 or float64")
flags.DEFINE_integer("train_steps", 120, "Number of training steps")
flags.DEFINE_integer("seed", 1, "Seed of weights and data")

FLAGS = flags.FLAGS

STEPS, FEATURES, UNITS, BATCH = 7, 3, 5, 10


def initial_weights(shape, dtype=tf.float32, partition_info=None):
  values = np.random.RandomState(FLAGS.seed).randn(*shape)
  return tf.constant(values / np.sqrt(shape[0]), dtype)


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
    x = tf.placeholder(dtype, [None, STEPS, FEATURES])
    label = tf.placeholder(tf.int32, [None])

    # TODO(tf1to2): V103 variable_scope(initializer=...) gives its initial values to `tf.nn.rnn_cell.LSTMCell` too
    with tf.variable_scope("recurrent", initializer=initial_weights):
      _, lstm = tf.nn.dynamic_rnn(
          tf.nn.rnn_cell.LSTMCell(UNITS), x, dtype=dtype, scope="lstm")
      _, gru = tf.nn.dynamic_rnn(
          tf.nn.rnn_cell.GRUCell(UNITS), x, dtype=dtype, scope="gru")
    # TODO(tf1to2): V103 regularisers collect losses, which this version does not carry over
    logits = tf.layers.dense(
        tf.concat([lstm.h, gru], axis=1), 2, kernel_initializer=initial_weights,
        kernel_regularizer=tf.contrib.layers.l2_regularizer(0.05), name="logits")
    cross_entropy = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=label, logits=logits))
    penalty = tf.losses.get_regularization_loss()
    loss = cross_entropy + penalty
    train_op = tf.train.GradientDescentOptimizer(0.5).minimize(
        loss, global_step=global_step)

    predicted = tf.argmax(logits, 1, output_type=tf.int32)
    probability = tf.nn.softmax(logits)[:, 1]
    # TODO(tf1to2): M120 tf.metrics beside a cluster or towers: the workers' totals were kept by the parameter servers, each tower's by itself
    accuracy, update_accuracy = tf.metrics.accuracy(label, predicted)
    # TODO(tf1to2): M120 tf.metrics beside a cluster or towers: the workers' totals were kept by the parameter servers, each tower's by itself
    precision, update_precision = tf.metrics.precision(label, predicted)
    # TODO(tf1to2): M120 tf.metrics beside a cluster or towers: the workers' totals were kept by the parameter servers, each tower's by itself
    recall, update_recall = tf.metrics.recall(label, predicted)
    # TODO(tf1to2): M120 tf.metrics beside a cluster or towers: the workers' totals were kept by the parameter servers, each tower's by itself
    auc, update_auc = tf.metrics.auc(label, probability)
    # TODO(tf1to2): M120 tf.metrics beside a cluster or towers: the workers' totals were kept by the parameter servers, each tower's by itself
    mean, update_mean = tf.metrics.mean(probability)
    # TODO(tf1to2): M120 tf.metrics beside a cluster or towers: the workers' totals were kept by the parameter servers, each tower's by itself
    squared, update_squared = tf.metrics.mean_squared_error(
        tf.cast(label, dtype), probability)

  checkpoint_dir = FLAGS.checkpoint_dir or tempfile.mkdtemp()
  rng = np.random.RandomState(FLAGS.seed + 1)
  losses, penalties, streamed = [], [], []
  with tf.train.MonitoredTrainingSession(
      master=server.target,
      is_chief=(FLAGS.task_index == 0),
      checkpoint_dir=checkpoint_dir,
      save_checkpoint_steps=100000,
      save_summaries_steps=None,
      log_step_count_steps=None,
      hooks=[tf.train.StopAtStepHook(last_step=FLAGS.train_steps)]) as sess:
    while not sess.should_stop():
      sequences = rng.randn(BATCH, STEPS, FEATURES)
      classes = (sequences[:, :, 0].sum(axis=1) > sequences[:, -1, 1]).astype(np.int32)
      sess.run([update_accuracy, update_precision, update_recall, update_auc,
                update_mean, update_squared], feed_dict={x: sequences, label: classes})
      streamed.append(sess.run(
          {"accuracy": accuracy, "precision": precision, "recall": recall, "auc": auc,
           "mean": mean, "mean_squared_error": squared}))
      _, loss_value, penalty_value = sess.run(
          [train_op, loss, penalty], feed_dict={x: sequences, label: classes})
      losses.append(loss_value)
      penalties.append(penalty_value)

  print("final loss: %g, %s" % (losses[-1], streamed[-1]))
  if FLAGS.trace:
    trace = {"metric/" + name: [s[name] for s in streamed] for name in streamed[0]}
    trace.update({"loss": losses, "penalty": penalties})
    reader = tf.train.load_checkpoint(checkpoint_dir)
    trace.update({"final/" + name: [reader.get_tensor(name)]
                  for name in reader.get_variable_to_shape_map()})
    np.savez("%s.%d.npz" % (FLAGS.trace, FLAGS.task_index), **trace)


if __name__ == "__main__":
  tf.app.run()
