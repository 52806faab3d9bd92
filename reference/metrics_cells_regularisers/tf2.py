"""Recurrent cells, a collected regulariser and streaming metrics, in one classifier.

Written by hand: tf1to2 refuses tf1.py where it uses tf.metrics, tf.nn.rnn_cell and a
regulariser that is collected. What each refusal recommends is done here; the rest is
what the tool writes.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import tempfile

import numpy as np
import tensorflow as tf
import tf_keras
import training_session

flags = tf.compat.v1.app.flags
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


# TF1's cells have one kernel, [input + state, gates]; Keras's layers have two. The gates
# are in another order, and Keras keeps TF1's forget_bias in the bias itself.
#   LSTM: TF1 input, candidate, forget, output; Keras input, forget, candidate, output.
#   GRU:  TF1 reset, update; candidate apart;   Keras update, reset, candidate.
LSTM_GATES = [0, 2, 1, 3]
GRU_GATES = [1, 0, 2]


def by_gates(values, order):
  """Columns of gates in another order. Either order is its own inverse."""
  return np.concatenate([np.split(values, len(order), axis=-1)[i] for i in order], -1)


def initial_kernels(gates):
  """Initializers of `kernel` and `recurrent_kernel`, of the values TF1's cell had."""
  if gates == LSTM_GATES:
    whole = initial_weights([FEATURES + UNITS, 4 * UNITS], tf.float64).numpy()
  else:
    whole = np.concatenate(
        [initial_weights([FEATURES + UNITS, n * UNITS], tf.float64).numpy()
         for n in (2, 1)], axis=-1)
  whole = by_gates(whole, gates)
  return (lambda shape, dtype=None, **_: tf.constant(whole[:FEATURES], dtype),
          lambda shape, dtype=None, **_: tf.constant(whole[FEATURES:], dtype))


def main(_):
  cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                  "worker": FLAGS.worker_hosts.split(",")})
  server = tf.distribute.Server(
      cluster,
      job_name=FLAGS.job_name,
      task_index=FLAGS.task_index,
      config=training_session.server_config())
  if FLAGS.job_name == "ps":
    server.join()

  # Worker 0 is also the coordinator; the other workers serve it.
  if FLAGS.task_index != 0:
    training_session.serve(server)
  lstm_kernel, lstm_recurrent = initial_kernels(LSTM_GATES)
  gru_kernel, gru_recurrent = initial_kernels(GRU_GATES)
  strategy = tf.distribute.ParameterServerStrategy(
      tf.distribute.cluster_resolver.SimpleClusterResolver(cluster, rpc_layer="grpc"))
  replicas = training_session.AsynchronousReplicas(strategy, cluster)

  with strategy.scope(), replicas.recording():
    global_step = training_session.create_global_step()
    dtype = tf.as_dtype(FLAGS.dtype)
    x_spec = tf.TensorSpec([None, STEPS, FEATURES], dtype)
    label_spec = tf.TensorSpec([None], tf.int32)
    lstm = tf_keras.layers.LSTM(
        UNITS, kernel_initializer=lstm_kernel, recurrent_initializer=lstm_recurrent,
        unit_forget_bias=True, dtype=dtype, name="lstm")
    gru = tf_keras.layers.GRU(
        UNITS, kernel_initializer=gru_kernel, recurrent_initializer=gru_recurrent,
        # TF1's GRUCell begins with the bias of its gates at 1, of the candidate at 0.
        bias_initializer=lambda shape, dtype=None, **_: tf.constant(
            [1.0] * 2 * UNITS + [0.0] * UNITS, dtype),
        reset_after=False, dtype=dtype, name="gru")
    logits_layer = tf_keras.layers.Dense(
        2, kernel_initializer=initial_weights, name="logits")
    optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.5)

    def model(x):
      return logits_layer(tf.concat([lstm(x), gru(x)], axis=1))

    @replicas.step_function(x_spec, label_spec)
    def train_step(x, label):
      with tf.GradientTape() as tape:
        cross_entropy = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=label, logits=model(x)))
        # Keras's l2 would be of half the scale, and round it to float32.
        penalty = 0.05 * tf.nn.l2_loss(logits_layer.kernel)
        loss = cross_entropy + penalty
      variables = replicas.trainable_variables
      gradients = tape.gradient(loss, variables)
      optimizer.apply_gradients(zip(gradients, variables), global_step=global_step)
      return loss, penalty

    @replicas.step_function(x_spec)
    def predict(x):
      logits = model(x)
      return tf.argmax(logits, 1, output_type=tf.int32), tf.nn.softmax(logits)[:, 1]

  def run_worker(task_index):
    checkpoint_dir = FLAGS.checkpoint_dir or tempfile.mkdtemp()
    rng = np.random.RandomState(FLAGS.seed + 1)
    # Each worker's own, as TF1's local variables were.
    metrics = {
        "accuracy": tf_keras.metrics.Accuracy(),
        "precision": tf_keras.metrics.Precision(),
        "recall": tf_keras.metrics.Recall(),
        "auc": tf_keras.metrics.AUC(num_thresholds=200),
        "mean": tf_keras.metrics.Mean(),
        "mean_squared_error": tf_keras.metrics.MeanSquaredError(),
    }
    losses, penalties, streamed = [], [], []
    with training_session.MonitoredTrainingSession(
        replicas,
        is_chief=(task_index == 0),
        checkpoint_dir=checkpoint_dir,
        save_checkpoint_steps=100000,
        save_summaries_steps=None,
        log_step_count_steps=None,
        hooks=[training_session.StopAtStepHook(last_step=FLAGS.train_steps)]) as sess:
      while not sess.should_stop():
        sequences = rng.randn(BATCH, STEPS, FEATURES)
        classes = (sequences[:, :, 0].sum(axis=1) > sequences[:, -1, 1]).astype(np.int32)
        predicted, probability = sess.run(predict, sequences)
        for name in ("accuracy", "precision", "recall"):
          metrics[name].update_state(classes, predicted)
        for name in ("auc", "mean_squared_error"):
          metrics[name].update_state(classes, probability)
        metrics["mean"].update_state(probability)
        streamed.append({name: m.result().numpy() for name, m in metrics.items()})
        loss_value, penalty_value = sess.run(train_step, sequences, classes)
        losses.append(loss_value)
        penalties.append(penalty_value)

    print("final loss: %g, %s" % (losses[-1], streamed[-1]))
    if FLAGS.trace:
      trace = {"metric/" + name: [s[name] for s in streamed] for name in streamed[0]}
      trace.update({"loss": losses, "penalty": penalties})
      reader = tf.train.load_checkpoint(checkpoint_dir)
      trace.update({"final/" + name: [value] for name, value in tf1_cells(reader).items()})
      for name in ("global_step", "logits/kernel", "logits/bias"):
        trace["final/" + name] = [reader.get_tensor(name)]
      np.savez("%s.%d.npz" % (FLAGS.trace, task_index), **trace)

  replicas.run(run_worker)


def tf1_cells(reader):
  """The recurrent layers' variables as TF1's cells kept them."""
  found = {}
  for layer, gates in (("lstm", LSTM_GATES), ("gru", GRU_GATES)):
    name = next(n for n in reader.get_variable_to_shape_map()
                if n.startswith(layer + "/") and n.endswith("/recurrent_kernel"))
    cell = name.rpartition("/")[0]
    kernel = np.concatenate([reader.get_tensor(cell + "/kernel"), reader.get_tensor(name)])
    bias = reader.get_tensor(cell + "/bias")
    kernel, bias = by_gates(kernel, gates), by_gates(bias, gates)
    scope = "recurrent/%s/%s_cell/" % (layer, layer)
    if layer == "lstm":
      bias[2 * UNITS:3 * UNITS] -= 1  # forget_bias
      found.update({scope + "kernel": kernel, scope + "bias": bias})
    else:
      for part, columns in (("gates", slice(2 * UNITS)), ("candidate", slice(2 * UNITS, None))):
        found[scope + part + "/kernel"] = kernel[:, columns]
        found[scope + part + "/bias"] = bias[columns]
  return found


if __name__ == "__main__":
  tf.compat.v1.app.run()
