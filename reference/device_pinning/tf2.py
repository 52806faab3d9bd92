"""Model parallelism: a chain of layers over two workers, their weights on two servers.

Every variable and every layer is pinned to a task by hand. All tasks of the cluster only
serve; a client, which is no task of it, trains:

  python tf2.py --job_name=ps --task_index=0 --ps_hosts=... --worker_hosts=...
  python tf2.py --job_name=ps --task_index=1 ...
  python tf2.py --job_name=worker --task_index=0 ...
  python tf2.py --job_name=worker --task_index=1 ...
  python tf2.py --job_name=client --task_index=0 ...

Written by hand: tf1to2 refuses the TF1 program.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import numpy as np
import tensorflow as tf

flags = tf.compat.v1.app.flags
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
  server = tf.distribute.Server(
      cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
  server.join()


def task_of(device, job):
  """The index in "/job:worker/replica:0/task:1/device:CPU:0"."""
  assert device.startswith("/job:%s/" % job), device
  return int(device.split("/task:")[1].split("/")[0])


def train(cluster):
  # The client becomes a task of a job of its own, "localhost".
  tf.config.experimental_connect_to_cluster(cluster)
  dtype = tf.as_dtype(FLAGS.dtype)
  num_ps = cluster.num_tasks("ps")
  num_workers = cluster.num_tasks("worker")

  weights = []
  for i, initial in enumerate(initial_weights()):
    with tf.device("/job:ps/task:%d" % (i % num_ps)):
      weights.append(
          tf.Variable(initial.astype(FLAGS.dtype), name="layer%d/weights" % i))

  opt = tf.compat.v1.train.MomentumOptimizer(FLAGS.learning_rate, FLAGS.momentum)

  @tf.function(input_signature=[
      tf.TensorSpec([BATCH, SIZES[0]], dtype), tf.TensorSpec([BATCH, SIZES[-1]], dtype)])
  def train_step(x, y):
    products = []
    layer = x
    for i, w in enumerate(weights):
      with tf.device("/job:worker/task:%d" % (i % num_workers)):
        product = tf.matmul(layer, w, name="layer%d/product" % i)
        products.append(product)
        layer = tf.nn.relu(product) if i + 1 < len(weights) else product
    with tf.device("/job:worker/task:0"):
      loss = tf.reduce_mean(tf.reduce_sum(tf.square(layer - y), axis=1))
    # A GradientTape would leave it to the runtime where the gradients are computed.
    gradients = tf.compat.v1.gradients(
        loss, weights, colocate_gradients_with_ops=True)
    opt.apply_gradients(zip(gradients, weights))
    return loss, products, gradients

  rng = np.random.RandomState(FLAGS.seed + 1)
  losses, computed_by, gradients_by = [], [], []
  for step in range(FLAGS.train_steps):
    features, targets = examples(rng)
    loss, products, gradients = train_step(
        tf.constant(features, dtype), tf.constant(targets, dtype))
    if step == 0:
      # A result stays on the device that has computed it.
      computed_by = [task_of(product.device, "worker") for product in products]
      gradients_by = [task_of(g.device, "worker") for g in gradients]
    losses.append(loss.numpy())
    if step % 50 == 0:
      print("step %d, loss %g" % (step, losses[-1]))
  final = [w.numpy() for w in weights]
  accumulated = [opt.get_slot(w, "momentum").numpy() for w in weights]

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
  tf.compat.v1.app.run()
