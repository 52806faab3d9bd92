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
import training_session

flags = tf.compat.v1.app.flags
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


def predict(name, dtype):
  """A linear model of dense features and of two ids per example."""
  with tf.name_scope(name):
    w = tf.Variable(initial_rows([FEATURES, OUTPUTS], dtype=dtype), name="w")
    with training_session.partitioner.sharding(tf.distribute.experimental.partitioners.FixedShardsPartitioner(num_shards=2)):
      table = tf.Variable(initial_rows([VOCABULARY, OUTPUTS], dtype=dtype), name="table")

  def apply(features, ids):
    with tf.name_scope(name):
      vectors = tf.nn.embedding_lookup(table, ids)
      return tf.matmul(features, w) + tf.reduce_sum(vectors, axis=1)

  return apply


def squared_error(predicted, wanted):
  return tf.reduce_mean(tf.reduce_sum(tf.square(predicted - wanted), axis=1))


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
  strategy = tf.distribute.ParameterServerStrategy(
      tf.distribute.cluster_resolver.SimpleClusterResolver(
          training_session.with_coordinator(cluster), rpc_layer="grpc"),
      variable_partitioner=training_session.partitioner)
  replicas = training_session.AsynchronousReplicas(strategy, cluster)

  with strategy.scope(), replicas.recording():
    global_step = training_session.create_global_step()
    dtype = tf.as_dtype(FLAGS.dtype)

    rate = tf.compat.v1.train.exponential_decay(0.1, global_step, 20, 0.8, staircase=True)
    sgd_loss_of = predict(name="sgd", dtype=dtype)
    sgd = tf.compat.v1.train.GradientDescentOptimizer(rate)
    momentum_loss_of = predict(name="momentum", dtype=dtype)
    momentum = tf.compat.v1.train.MomentumOptimizer(rate, 0.9)
    adagrad_loss_of = predict(name="adagrad", dtype=dtype)
    adagrad = tf.compat.v1.train.AdagradOptimizer(0.2)
    adadelta_loss_of = predict(name="adadelta", dtype=dtype)
    adadelta = tf.compat.v1.train.AdadeltaOptimizer(1.0, rho=0.9, epsilon=1e-6)
    rmsprop_loss_of = predict(name="rmsprop", dtype=dtype)
    rmsprop = tf.compat.v1.train.RMSPropOptimizer(0.01, momentum=0.5, centered=True)
    ftrl_loss_of = predict(name="ftrl", dtype=dtype)
    ftrl = tf.compat.v1.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01)
    adam_loss_of = predict(name="adam", dtype=dtype)
    adam = tf.compat.v1.train.AdamOptimizer(rate)

    @replicas.step_function(
        tf.TensorSpec([None, FEATURES], dtype),
        tf.TensorSpec([None, 2], tf.int32),
        tf.TensorSpec([None, OUTPUTS], dtype))
    def train_step(x, ids, y):
      with tf.GradientTape() as tape:
        sgd_loss = squared_error(sgd_loss_of(x, ids), y)
      variables = replicas.trainable_variables
      gradients = tape.gradient(sgd_loss, variables)
      sgd.apply_gradients(zip(gradients, variables))
      return [None, sgd_loss]

    @replicas.step_function(
        tf.TensorSpec([None, FEATURES], dtype),
        tf.TensorSpec([None, 2], tf.int32),
        tf.TensorSpec([None, OUTPUTS], dtype))
    def train_step_with_momentum_loss(x, ids, y):
      with tf.GradientTape() as tape:
        momentum_loss = squared_error(momentum_loss_of(x, ids), y)
      variables = replicas.trainable_variables
      gradients = tape.gradient(momentum_loss, variables)
      momentum.apply_gradients(zip(gradients, variables))
      return [None, momentum_loss]

    @replicas.step_function(
        tf.TensorSpec([None, FEATURES], dtype),
        tf.TensorSpec([None, 2], tf.int32),
        tf.TensorSpec([None, OUTPUTS], dtype))
    def train_step_with_adagrad_loss(x, ids, y):
      with tf.GradientTape() as tape:
        adagrad_loss = squared_error(adagrad_loss_of(x, ids), y)
      variables = replicas.trainable_variables
      gradients = tape.gradient(adagrad_loss, variables)
      adagrad.apply_gradients(zip(gradients, variables))
      return [None, adagrad_loss]

    @replicas.step_function(
        tf.TensorSpec([None, FEATURES], dtype),
        tf.TensorSpec([None, 2], tf.int32),
        tf.TensorSpec([None, OUTPUTS], dtype))
    def train_step_with_adadelta_loss(x, ids, y):
      with tf.GradientTape() as tape:
        adadelta_loss = squared_error(adadelta_loss_of(x, ids), y)
      variables = replicas.trainable_variables
      gradients = tape.gradient(adadelta_loss, variables)
      adadelta.apply_gradients(zip(gradients, variables))
      return [None, adadelta_loss]

    @replicas.step_function(
        tf.TensorSpec([None, FEATURES], dtype),
        tf.TensorSpec([None, 2], tf.int32),
        tf.TensorSpec([None, OUTPUTS], dtype))
    def train_step_with_rmsprop_loss(x, ids, y):
      with tf.GradientTape() as tape:
        rmsprop_loss = squared_error(rmsprop_loss_of(x, ids), y)
      variables = replicas.trainable_variables
      gradients = tape.gradient(rmsprop_loss, variables)
      rmsprop.apply_gradients(zip(gradients, variables))
      return [None, rmsprop_loss]

    @replicas.step_function(
        tf.TensorSpec([None, FEATURES], dtype),
        tf.TensorSpec([None, 2], tf.int32),
        tf.TensorSpec([None, OUTPUTS], dtype))
    def train_step_with_ftrl_loss(x, ids, y):
      with tf.GradientTape() as tape:
        ftrl_loss = squared_error(ftrl_loss_of(x, ids), y)
      variables = replicas.trainable_variables
      gradients = tape.gradient(ftrl_loss, variables)
      ftrl.apply_gradients(zip(gradients, variables))
      return [None, ftrl_loss]

    @replicas.step_function(
        tf.TensorSpec([None, FEATURES], dtype),
        tf.TensorSpec([None, 2], tf.int32),
        tf.TensorSpec([None, OUTPUTS], dtype))
    def train_step_with_adam_loss(x, ids, y):
      with tf.GradientTape() as tape:
        # The last one counts the step.
        adam_loss = squared_error(adam_loss_of(x, ids), y)
      variables = replicas.trainable_variables
      gradients = tape.gradient(adam_loss, variables)
      adam.apply_gradients(zip(gradients, variables), global_step=global_step)
      return [None, adam_loss]

  def run_worker(task_index):
    checkpoint_dir = FLAGS.checkpoint_dir or tempfile.mkdtemp()
    steps, losses = [], []
    with training_session.MonitoredTrainingSession(
        replicas,
        is_chief=(task_index == 0),
        checkpoint_dir=checkpoint_dir,
        save_checkpoint_steps=FLAGS.save_steps,
        save_summaries_steps=None,
        log_step_count_steps=None,
        hooks=[training_session.StopAtStepHook(last_step=FLAGS.train_steps)]) as sess:
      while not sess.should_stop():
        step = global_step.numpy()
        features, words, wanted = examples(step)
        steps.append(step)
        losses.append({
            "sgd": sess.run(train_step, features, words, wanted)[1],
            "momentum": sess.run(train_step_with_momentum_loss, features, words, wanted)[1],
            "adagrad": sess.run(train_step_with_adagrad_loss, features, words, wanted)[1],
            "adadelta": sess.run(train_step_with_adadelta_loss, features, words, wanted)[1],
            "rmsprop": sess.run(train_step_with_rmsprop_loss, features, words, wanted)[1],
            "ftrl": sess.run(train_step_with_ftrl_loss, features, words, wanted)[1],
            "adam": sess.run(train_step_with_adam_loss, features, words, wanted)[1]})

    print("steps %d to %d, final losses: %s" % (steps[0], steps[-1], losses[-1]))
    if FLAGS.trace:
      trace = {"loss/" + name: [l[name] for l in losses] for name in losses[0]}
      # Weights, slots and step at the end, as the checkpoint has them.
      reader = tf.train.load_checkpoint(checkpoint_dir)
      trace.update({"final/" + name: [reader.get_tensor(name)]
                    for name in reader.get_variable_to_shape_map()})
      np.savez("%s.%d.npz" % (FLAGS.trace, task_index), global_step=steps, **trace)

  replicas.run(run_worker)


if __name__ == "__main__":
  tf.compat.v1.app.run()
