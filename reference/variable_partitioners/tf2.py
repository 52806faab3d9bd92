"""Tables in shards on the parameter servers, by each of TF1's three partitioners.

Rows are looked up with both partition strategies; ids repeat within a batch. A dense
weight matrix is in shards too. Start one process per task, e.g. for two parameter
servers and two workers:

  python tf1.py --job_name=ps --task_index=0 --ps_hosts=... --worker_hosts=...
  python tf1.py --job_name=ps --task_index=1 ...
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
flags.DEFINE_string("job_name", "worker", "job name: worker or ps")
flags.DEFINE_integer("task_index", 0, "Index of this task in its job")
flags.DEFINE_string("ps_hosts", "localhost:2222", "host:port of the parameter servers")
flags.DEFINE_string("worker_hosts", "localhost:2223", "host:port of the workers")
flags.DEFINE_string("checkpoint_dir", None, "Directory of checkpoints")
flags.DEFINE_string("trace", None, "Prefix of the file that gets each step's values")
flags.DEFINE_string("dtype", "float32", "float32 or float64")
flags.DEFINE_integer("train_steps", 200, "Number of (global) training steps")
flags.DEFINE_string("optimizer", "sgd", "One of sgd, momentum, adam, adagrad")
flags.DEFINE_integer("seed", 1, "Seed of weights and data")

FLAGS = flags.FLAGS

# No number of shards divides the rows.
ROWS, DIM, FEATURES, BATCH = 23, 4, 7, 16


def make_optimizer(name):
  if name == "momentum":
    return tf.compat.v1.train.MomentumOptimizer(0.1, 0.9)
  if name == "adam":
    return tf.compat.v1.train.AdamOptimizer(0.01)
  if name == "adagrad":
    return tf.compat.v1.train.AdagradOptimizer(0.2)
  return tf.compat.v1.train.GradientDescentOptimizer(0.2)


def initial_rows(shape, dtype=tf.float32, partition_info=None):
  """The rows of one shard of a matrix that does not depend on the shards."""
  rows, start, full_shape = shape[0], 0, shape
  if partition_info is not None:
    start, full_shape = partition_info.var_offset[0], partition_info.full_shape
  whole = np.random.RandomState(FLAGS.seed).randn(*full_shape)
  return tf.constant(whole[start:start + rows], dtype)


def error(vectors, wanted):
  return tf.reduce_mean(tf.reduce_sum(tf.square(vectors - wanted), axis=1))


def shapes(shards):
  return [shard.shape.as_list() for shard in shards]


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

    # A given number of shards.
    fixed = tf.distribute.experimental.partitioners.FixedShardsPartitioner(num_shards=3)
    with training_session.partitioner.sharding(fixed):
      with tf.name_scope("fixed"):
        fixed_mod = tf.Variable(initial_rows([ROWS, DIM], dtype=dtype), name="mod")
        fixed_div = tf.Variable(initial_rows([ROWS, DIM], dtype=dtype), name="div")

    # Shards of at most so many bytes.
    by_bytes = tf.distribute.experimental.partitioners.MaxSizePartitioner(max_shard_bytes=96, max_shards=5)
    with training_session.partitioner.sharding(by_bytes):
      with tf.name_scope("axis"):
        axis_mod = tf.Variable(initial_rows([ROWS, DIM], dtype=dtype), name="mod")
        axis_div = tf.Variable(initial_rows([ROWS, DIM], dtype=dtype), name="div")

    # As many shards as there can be of at least so many bytes.
    between = tf.distribute.experimental.partitioners.MinSizePartitioner(max_shards=6, min_shard_bytes=160)
    with training_session.partitioner.sharding(between):
      with tf.name_scope("min_max"):
        min_max_mod = tf.Variable(initial_rows([ROWS, DIM], dtype=dtype), name="mod")
        min_max_div = tf.Variable(initial_rows([ROWS, DIM], dtype=dtype), name="div")
    with training_session.partitioner.sharding(tf.distribute.experimental.partitioners.FixedShardsPartitioner(num_shards=2)):
      # A dense matrix; beside it a bias that is whole.
      w = tf.Variable(initial_rows([FEATURES, DIM], dtype=dtype), name="w")
    b = tf.Variable(np.zeros(DIM, FLAGS.dtype), name="b")
    optimizer = make_optimizer(FLAGS.optimizer)

    @replicas.step_function(
        tf.TensorSpec([None, 2], tf.int32),
        tf.TensorSpec([None, FEATURES], dtype),
        tf.TensorSpec([None, DIM], dtype))
    def train_step(ids, x, y):
      with tf.GradientTape() as tape:
        vectors = tf.nn.embedding_lookup(fixed_mod, training_session.mod_rows(ids, fixed_mod))
        fixed_mod_loss = error(tf.reduce_sum(vectors, axis=1), y)
        vectors = tf.nn.embedding_lookup(fixed_div, ids)
        fixed_div_loss = error(tf.reduce_sum(vectors, axis=1), y)
        vectors = tf.nn.embedding_lookup(axis_mod, training_session.mod_rows(ids, axis_mod))
        axis_mod_loss = error(tf.reduce_sum(vectors, axis=1), y)
        vectors = tf.nn.embedding_lookup(axis_div, ids)
        axis_div_loss = error(tf.reduce_sum(vectors, axis=1), y)
        vectors = tf.nn.embedding_lookup(min_max_mod, training_session.mod_rows(ids, min_max_mod))
        min_max_mod_loss = error(tf.reduce_sum(vectors, axis=1), y)
        vectors = tf.nn.embedding_lookup(min_max_div, ids)
        min_max_div_loss = error(tf.reduce_sum(vectors, axis=1), y)
        dense_loss = error(tf.matmul(x, w) + b, y)

        loss = (fixed_mod_loss + fixed_div_loss + axis_mod_loss + axis_div_loss +
                min_max_mod_loss + min_max_div_loss + dense_loss)
      variables = replicas.trainable_variables
      gradients = tape.gradient(loss, variables)
      optimizer.apply_gradients(zip(gradients, variables), global_step=global_step)
      return {"fixed_mod": fixed_mod_loss, "fixed_div": fixed_div_loss, "axis_mod": axis_mod_loss, "axis_div": axis_div_loss, "min_max_mod": min_max_mod_loss, "min_max_div": min_max_div_loss, "dense": dense_loss}

  def run_worker(task_index):
    checkpoint_dir = FLAGS.checkpoint_dir or tempfile.mkdtemp()
    rng = np.random.RandomState(FLAGS.seed + 1 + task_index)
    losses = []
    with training_session.MonitoredTrainingSession(
        replicas,
        is_chief=(task_index == 0),
        checkpoint_dir=checkpoint_dir,
        save_checkpoint_steps=100000,
        save_summaries_steps=None,
        log_step_count_steps=None,
        hooks=[training_session.StopAtStepHook(last_step=FLAGS.train_steps)]) as sess:
      while not sess.should_stop():
        batch = 0.3 * rng.randn(BATCH, FEATURES)
        words = rng.randint(ROWS, size=(BATCH, 2))
        wanted = rng.randn(BATCH, DIM)
        values = sess.run(train_step, words, batch, wanted)
        losses.append(values)

    print("final losses: %s" % losses[-1])
    if FLAGS.trace:
      trace = {"loss/" + name: [l[name] for l in losses] for name in losses[0]}
      trace["shards/fixed"] = [shapes(fixed_mod)]
      trace["shards/axis"] = [shapes(axis_mod)]
      trace["shards/min_max"] = [shapes(min_max_mod)]
      trace["shards/w"] = [shapes(w)]
      if task_index == 0:
        # Variables and slots at the end, whole, as the checkpoint has them.
        reader = tf.train.load_checkpoint(checkpoint_dir)
        trace.update({"final/" + name: [reader.get_tensor(name)]
                      for name in reader.get_variable_to_shape_map()})
      np.savez("%s.%d.npz" % (FLAGS.trace, task_index), **trace)

  replicas.run(run_worker)


if __name__ == "__main__":
  tf.compat.v1.app.run()
