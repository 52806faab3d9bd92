"""Model parallelism: the halves of a network on two workers, its weights on two servers.

Every variable and every layer is pinned to a task by hand. All tasks of the cluster only
serve; a client, which is no task of it, builds the graph and trains:

  python tf1.py --job_name=ps --task_index=0 --ps_hosts=... --worker_hosts=...
  python tf1.py --job_name=ps --task_index=1 ...
  python tf1.py --job_name=worker --task_index=0 ...
  python tf1.py --job_name=worker --task_index=1 ...
  python tf1.py --job_name=client --task_index=0 ...
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import numpy as np
import tensorflow as tf
import plain_session

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
  return [(rng.randn(rows, columns) / np.sqrt(rows)).astype(FLAGS.dtype)
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


def task_of(device):
  """The index in "/job:ps/replica:0/task:1/device:CPU:0"."""
  assert device.startswith("/job:ps/"), device
  return int(device.split("/task:")[1].split("/")[0])


def train(cluster):
  dtype = tf.as_dtype(FLAGS.dtype)
  num_ps = cluster.num_tasks("ps")
  num_workers = cluster.num_tasks("worker")

  first, second, third, last = initial_weights()

  # The client is no task of the cluster.
  tf.config.experimental_connect_to_cluster(cluster)

  strategy = tf.distribute.get_strategy()
  replicas = plain_session.LocalReplicas(strategy)

  with strategy.scope(), replicas.recording():
    # The weights of a layer are on the one server or the other.
    with tf.device("/job:ps/task:0"):
      w0 = tf.Variable(first, name="layer0/weights")
      w2 = tf.Variable(third, name="layer2/weights")
    with tf.device("/job:ps/task:%d" % (num_ps - 1)):
      w1 = tf.Variable(second, name="layer1/weights")
      w3 = tf.Variable(last, name="layer3/weights")

    opt = tf.compat.v1.train.MomentumOptimizer(FLAGS.learning_rate, FLAGS.momentum)

    def forward(x, y):
      # The lower half of the network is computed by the one worker ...
      with tf.device("/job:worker/task:0"):
        hidden = tf.nn.relu(tf.matmul(x, w0))
        hidden = tf.nn.relu(tf.matmul(hidden, w1))
      # ... and the upper half by the other.
      with tf.device("/job:worker/task:%d" % (num_workers - 1)):
        hidden = tf.nn.relu(tf.matmul(hidden, w2))
        outputs = tf.matmul(hidden, w3)
        loss = tf.reduce_mean(tf.reduce_sum(tf.square(outputs - y), axis=1))
      return loss

    @replicas.step_function(
        tf.TensorSpec([BATCH, SIZES[0]], dtype),
        tf.TensorSpec([BATCH, SIZES[-1]], dtype))
    def compute_loss(x, y):
      loss = forward(x, y)
      return loss

    @replicas.step_function(
        tf.TensorSpec([BATCH, SIZES[0]], dtype),
        tf.TensorSpec([BATCH, SIZES[-1]], dtype))
    def train_step(x, y):
      with tf.GradientTape() as tape:
        loss = forward(x, y)
      variables = replicas.trainable_variables
      gradients = tape.gradient(loss, variables)
      opt.apply_gradients(zip(gradients, variables))

    @replicas.step_function()
    def compute_w0_and_w1_and_w2_and_w3():
      return [w0, w1, w2, w3]

  rng = np.random.RandomState(FLAGS.seed + 1)
  losses = []
  with plain_session.Session(replicas) as sess:
    sess.initialize()
    for step in range(FLAGS.train_steps):
      features, targets = examples(rng)
      losses.append(sess.run(compute_loss, features, targets))
      sess.run(train_step, features, targets)
      if step % 50 == 0:
        print("step %d, loss %g" % (step, losses[-1]))
    final = sess.run(compute_w0_and_w1_and_w2_and_w3)

  if FLAGS.trace:
    arrays = {"final/layer%d/weights" % i: [v] for i, v in enumerate(final)}
    np.savez("%s.0.npz" % FLAGS.trace, loss=losses,
             stored_by=[[task_of(w.device) for w in (w0, w1, w2, w3)]], **arrays)


def main(_):
  cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                  "worker": FLAGS.worker_hosts.split(",")})
  if FLAGS.job_name == "client":
    train(cluster)
  else:
    serve(cluster)


if __name__ == "__main__":
  tf.compat.v1.app.run()
