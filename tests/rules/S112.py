from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("trace", None, "Prefix of the file that gets each step's values")
flags.DEFINE_string("dtype", "float32", "float32 or float64")
flags.DEFINE_integer("train_steps", 200, "Number of training steps")
flags.DEFINE_float("learning_rate", 0.05, "Learning rate")
flags.DEFINE_float("momentum", 0.9, "Momentum")
flags.DEFINE_integer("seed", 1, "Seed of weights and data")
flags.DEFINE_string("ps_hosts", "localhost:2222,localhost:2223",
                    "Comma-separated list of hostname:port pairs")
flags.DEFINE_string("worker_hosts", "localhost:2224,localhost:2225",
                    "Comma-separated list of hostname:port pairs")
flags.DEFINE_string("job_name", None, "job name: ps, worker or client")
flags.DEFINE_integer("task_index", 0, "Index of the task within its job")

FLAGS = flags.FLAGS

SIZES = [12, 16, 16, 8, 2]
BATCH = 32

def initial_weights():
  rng = np.random.RandomState(FLAGS.seed)
  return [rng.randn(rows, columns) / np.sqrt(rows)
          for rows, columns in zip(SIZES, SIZES[1:])]

def examples(rng):
  """Features, and the norms of their two halves."""
  features = rng.randn(BATCH, SIZES[0])
  halves = np.split(features, 2, axis=1)
  return features, np.stack([np.sqrt(np.mean(h * h, axis=1)) for h in halves], axis=1)

def serve(cluster):
  server = tf.train.Server(
      cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
  server.join()

def task_of(device, job):
  """The index in "/job:worker/replica:0/task:1/device:CPU:0"."""
  assert device.startswith("/job:%s/" % job), device
  return int(device.split("/task:")[1].split("/")[0])

def tasks_that_computed(tensors, run_metadata):
  """The worker that computed each tensor, as the session has seen it."""
  devices = {node.node_name: stats.device
             for stats in run_metadata.step_stats.dev_stats
             for node in stats.node_stats}
  return [task_of(devices[tensor.op.name], "worker") for tensor in tensors]

def train(cluster):
  dtype = tf.as_dtype(FLAGS.dtype)
  num_ps = cluster.num_tasks("ps")
  num_workers = cluster.num_tasks("worker")

  weights = []
  for i, initial in enumerate(initial_weights()):
    with tf.device("/job:ps/task:%d" % (i % num_ps)):
      weights.append(
          tf.Variable(initial.astype(FLAGS.dtype), name="layer%d/weights" % i))

  x = tf.placeholder(dtype, [BATCH, SIZES[0]])
  y = tf.placeholder(dtype, [BATCH, SIZES[-1]])
  products = []
  layer = x
  for i, w in enumerate(weights):
    with tf.device("/job:worker/task:%d" % (i % num_workers)):
      product = tf.matmul(layer, w, name="layer%d/product" % i)
      products.append(product)
      layer = tf.nn.relu(product) if i + 1 < len(weights) else product
  with tf.device("/job:worker/task:0"):
    loss = tf.reduce_mean(tf.reduce_sum(tf.square(layer - y), axis=1))

  opt = tf.train.MomentumOptimizer(FLAGS.learning_rate, FLAGS.momentum)
  grads_and_vars = opt.compute_gradients(
      loss, weights, colocate_gradients_with_ops=True)
  with tf.control_dependencies([loss] + [g for g, _ in grads_and_vars]):
    train_op = opt.apply_gradients(grads_and_vars)
  slots = [opt.get_slot(w, "momentum") for w in weights]

  rng = np.random.RandomState(FLAGS.seed + 1)
  losses, computed_by, gradients_by = [], [], []
  with tf.Session("grpc://" + cluster.task_address("worker", 0)) as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(FLAGS.train_steps):
      features, targets = examples(rng)
      options = run_metadata = None
      if step == 0:
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        run_metadata = tf.RunMetadata()
      _, loss_value = sess.run(
          [train_op, loss], feed_dict={x: features, y: targets},
          options=options, run_metadata=run_metadata)
      if step == 0:
        computed_by = tasks_that_computed(products, run_metadata)
        gradients_by = tasks_that_computed(
            [g.op.inputs[0] for g, _ in grads_and_vars], run_metadata)
      losses.append(loss_value)
      if step % 50 == 0:
        print("step %d, loss %g" % (step, loss_value))
    final, accumulated = sess.run([weights, slots])

  if FLAGS.trace:
    arrays = {"final/layer%d/weights" % i: [v] for i, v in enumerate(final)}
    arrays.update({"final/layer%d/weights/Momentum" % i: [v]
                   for i, v in enumerate(accumulated)})
    np.savez("%s.0.npz" % FLAGS.trace, loss=losses,
             computed_by=[computed_by], gradients_by=[gradients_by],
             stored_by=[[task_of(w.device, "ps") for w in weights]], **arrays)

def main(_):
  cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                  "worker": FLAGS.worker_hosts.split(",")})
  if FLAGS.job_name == "client":
    train(cluster)
  else:
    serve(cluster)

if __name__ == "__main__":
  tf.app.run()
