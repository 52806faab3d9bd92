"""Towers on the workers of a cluster, in one graph: each computes its part of the batch.

The variables are dealt to the parameter servers and shared by the towers; the gradients
are averaged and applied once. All tasks of the cluster only serve; a client, which is no
task of it, builds the graph and trains:

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

flags = tf.app.flags
flags.DEFINE_string("trace", None, "Prefix of the file that gets each step's values")
flags.DEFINE_string("dtype", "float32", "float32 or float64")
flags.DEFINE_integer("train_steps", 200, "Number of training steps")
flags.DEFINE_integer("batch_size", 48, "Examples of one step, of all towers together")
flags.DEFINE_string("optimizer", "sgd", "One of sgd, momentum, adam")
flags.DEFINE_float("learning_rate", 0.05, "Learning rate at the beginning")
flags.DEFINE_float("max_gradient", 0.0, "Norm that averaged gradients are clipped to")
flags.DEFINE_integer("seed", 1, "Seed of weights and data")
flags.DEFINE_string("ps_hosts", "localhost:2222,localhost:2223",
                    "Comma-separated list of hostname:port pairs")
flags.DEFINE_string("worker_hosts", "localhost:2224,localhost:2225",
                    "Comma-separated list of hostname:port pairs")
flags.DEFINE_string("job_name", None, "job name: ps, worker or client")
flags.DEFINE_integer("task_index", 0, "Index of the task within its job")

FLAGS = flags.FLAGS

FEATURES, HIDDEN, CLASSES = 20, 16, 4


def examples(count, rng):
  """Points around a center per class, and their classes, one-hot."""
  centers = np.random.RandomState(FLAGS.seed).randn(CLASSES, FEATURES)
  classes = rng.randint(CLASSES, size=count)
  images = centers[classes] + rng.randn(count, FEATURES)
  return images, np.eye(CLASSES)[classes]


def dense(x, units, rng):
  weights = tf.get_variable(
      "weights", [x.shape[1], units], FLAGS.dtype,
      initializer=tf.constant_initializer(0.2 * rng.randn(int(x.shape[1]), units)))
  biases = tf.get_variable(
      "biases", [units], FLAGS.dtype, initializer=tf.constant_initializer(0.1))
  return tf.nn.xw_plus_b(x, weights, biases)


def tower_loss(images, labels):
  """The loss of one tower's examples."""
  rng = np.random.RandomState(FLAGS.seed + 1)
  with tf.variable_scope("hidden"):
    hidden = tf.nn.relu(dense(images, HIDDEN, rng))
  with tf.variable_scope("linear"):
    outputs = dense(hidden, CLASSES, rng)
  return tf.reduce_mean(tf.reduce_sum(tf.square(outputs - labels), axis=1))


def average_gradients(tower_grads):
  """The mean of every variable's gradients over the towers.

  Args:
    tower_grads: per tower a list of (gradient, variable), in the same order.
  """
  average_grads = []
  for grad_and_vars in zip(*tower_grads):
    grads = tf.stack([g for g, _ in grad_and_vars])
    # The variables are shared, so the first tower's reference will do.
    average_grads.append((tf.reduce_mean(grads, 0), grad_and_vars[0][1]))
  return average_grads


def make_optimizer(name, learning_rate):
  if name == "momentum":
    return tf.train.MomentumOptimizer(learning_rate, 0.9)
  if name == "adam":
    return tf.train.AdamOptimizer(learning_rate)
  return tf.train.GradientDescentOptimizer(learning_rate)


def slots(opt, variables):
  return [opt.get_slot(v, name) for v in variables for name in opt.get_slot_names()]


def task_of(device):
  """The index in "/job:ps/replica:0/task:1/device:CPU:0"."""
  assert device.startswith("/job:ps/"), device
  return int(device.split("/task:")[1].split("/")[0])


def serve(cluster):
  server = tf.train.Server(
      cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
  server.join()


def train(cluster):
  num_workers = cluster.num_tasks("worker")
  with tf.device("/job:ps/task:0"):
    global_step = tf.train.get_or_create_global_step()
  lr = tf.train.exponential_decay(FLAGS.learning_rate, global_step, 50, 0.5,
                                  staircase=True)
  opt = make_optimizer(FLAGS.optimizer, lr)

  dtype = tf.as_dtype(FLAGS.dtype)
  images = tf.placeholder(dtype, [FLAGS.batch_size, FEATURES])
  labels = tf.placeholder(dtype, [FLAGS.batch_size, CLASSES])
  image_splits = tf.split(images, num_workers)
  label_splits = tf.split(labels, num_workers)

  # Calculate the gradients of each tower, by its worker.
  tower_grads = []
  tower_losses = []
  for i in range(num_workers):
    with tf.device(tf.train.replica_device_setter(
        worker_device="/job:worker/task:%d" % i, cluster=cluster)):
      with tf.variable_scope("model", reuse=(i > 0)):
        loss = tower_loss(image_splits[i], label_splits[i])
      tower_grads.append(opt.compute_gradients(loss))
      tower_losses.append(loss)

  # The synchronization point of all towers.
  grads = average_gradients(tower_grads)
  if FLAGS.max_gradient:
    gradients, variables = zip(*grads)
    gradients, _ = tf.clip_by_global_norm(gradients, FLAGS.max_gradient)
    grads = zip(gradients, variables)
  # The losses are those of the weights before the update.
  with tf.control_dependencies(tower_losses):
    train_op = opt.apply_gradients(grads, global_step=global_step)

  rng = np.random.RandomState(FLAGS.seed + 2)
  trace = []
  with tf.Session("grpc://" + cluster.task_address("worker", 0)) as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(FLAGS.train_steps):
      batch_images, batch_labels = examples(FLAGS.batch_size, rng)
      _, loss_values = sess.run(
          [train_op, tower_losses],
          feed_dict={images: batch_images, labels: batch_labels})
      trace.append(loss_values)
      if step % 50 == 0:
        print("step %d, loss %.4f" % (step, np.mean(loss_values)))
    weights = tf.trainable_variables()
    final = sess.run({v.op.name: v for v in weights + slots(opt, weights)})
    print("step %d at the end" % sess.run(global_step))

  if FLAGS.trace:
    arrays = {"loss/tower_%d" % i: [losses[i] for losses in trace]
              for i in range(num_workers)}
    arrays.update({"final/" + name: [value] for name, value in final.items()})
    np.savez("%s.0.npz" % FLAGS.trace,
             stored_by=[[task_of(v.device) for v in weights]], **arrays)


def main(_):
  cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                  "worker": FLAGS.worker_hosts.split(",")})
  if FLAGS.job_name == "client":
    train(cluster)
  else:
    serve(cluster)


if __name__ == "__main__":
  tf.app.run()
