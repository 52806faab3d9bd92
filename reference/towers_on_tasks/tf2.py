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
import plain_session
import towers_on_tasks
import training_session

flags = tf.compat.v1.app.flags
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
  weights = tf.Variable(tf.compat.v1.constant_initializer(0.2 * rng.randn(int(x.shape[1]), units))([x.shape[1], units], dtype=FLAGS.dtype), name="weights")
  biases = tf.Variable(tf.compat.v1.constant_initializer(0.1)([units], dtype=FLAGS.dtype), name="biases")

  def apply(x):
    return tf.compat.v1.nn.xw_plus_b(x, weights, biases)

  return apply


def tower_loss(images):
  """The loss of one tower's examples."""
  rng = np.random.RandomState(FLAGS.seed + 1)
  with tf.name_scope("hidden"):
    hidden_of = dense(x=images, units=HIDDEN, rng=rng)
  with tf.name_scope("linear"):
    hidden_spec = training_session.spec_of(lambda images: tf.nn.relu(hidden_of(images)), images)
    outputs_of = dense(x=hidden_spec, units=CLASSES, rng=rng)

  def apply(images, labels):
    with tf.name_scope("hidden"):
      hidden = tf.nn.relu(hidden_of(images))
    with tf.name_scope("linear"):
      outputs = outputs_of(hidden)
    return tf.reduce_mean(tf.reduce_sum(tf.square(outputs - labels), axis=1))

  return apply


def make_optimizer(name, learning_rate):
  if name == "momentum":
    return tf.compat.v1.train.MomentumOptimizer(learning_rate, 0.9)
  if name == "adam":
    return tf.compat.v1.train.AdamOptimizer(learning_rate)
  return tf.compat.v1.train.GradientDescentOptimizer(learning_rate)


def slots(opt, variables):
  return [opt.get_slot(v, name) for v in variables for name in opt.get_slot_names()]


def task_of(device):
  """The index in "/job:ps/replica:0/task:1/device:CPU:0"."""
  assert device.startswith("/job:ps/"), device
  return int(device.split("/task:")[1].split("/")[0])


def serve(cluster):
  server = tf.distribute.Server(
      cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
  server.join()


def train(cluster):
  num_workers = cluster.num_tasks("worker")

  # The client is no task of the cluster.
  tf.config.experimental_connect_to_cluster(cluster)

  strategy = towers_on_tasks.strategy(
      ["/job:worker/task:%d" % i for i in range(num_workers)])
  replicas = towers_on_tasks.Replicas(strategy, dealt_to=cluster)

  with strategy.scope(), replicas.recording():
    with tf.device("/job:ps/task:0"):
      global_step = training_session.create_global_step()
    lr = tf.compat.v1.train.exponential_decay(FLAGS.learning_rate, global_step, 50, 0.5,
                                              staircase=True)
    opt = make_optimizer(FLAGS.optimizer, lr)

    dtype = tf.as_dtype(FLAGS.dtype)
    with tf.name_scope("model"):
      images_spec = tf.TensorSpec([FLAGS.batch_size, FEATURES], dtype)
      image_splits_spec = training_session.spec_of(lambda images: tf.split(images, num_workers), images_spec)
      tower_loss_images_spec = training_session.spec_of(lambda image_splits: image_splits[0], image_splits_spec)
      loss_of = tower_loss(images=tower_loss_images_spec)

    rng = np.random.RandomState(FLAGS.seed + 2)
    trace = []
    weights = replicas.trainable_variables

    @replicas.step_function(
        tf.TensorSpec([FLAGS.batch_size, FEATURES], dtype),
        tf.TensorSpec([FLAGS.batch_size, CLASSES], dtype))
    def train_step(images, labels):
      with tf.GradientTape() as tape:
        image_splits = tf.split(images, num_workers)
        label_splits = tf.split(labels, num_workers)

        # Calculate the gradients of each tower, by its worker.
        i = tf.get_static_value(tf.distribute.get_replica_context().replica_id_in_sync_group)
        with tf.name_scope("model"):
          tower_loss_images = image_splits[i]
          loss = loss_of(tower_loss_images, label_splits[i])
      variables = replicas.trainable_variables
      tower_gradients = list(zip(tape.gradient(loss, variables), variables))
      tower_losses = replicas.towers(loss)

      # The synchronization point of all towers.
      grads = replicas.averaged(tower_gradients)
      if FLAGS.max_gradient:
        gradients, variables = zip(*grads)
        gradients, _ = tf.clip_by_global_norm(gradients, FLAGS.max_gradient)
        grads = zip(gradients, variables)
      gradients, variables = zip(*grads)
      opt.apply_gradients(zip(replicas.average(gradients), variables), global_step=global_step)
      return tower_losses

    @replicas.step_function()
    def compute_evaluate():
      return {plain_session.op_name(v): v for v in weights + slots(opt, weights)}

  with plain_session.Session(replicas) as sess:
    sess.initialize()
    for step in range(FLAGS.train_steps):
      batch_images, batch_labels = examples(FLAGS.batch_size, rng)
      loss_values = sess.run(train_step, batch_images, batch_labels)
      trace.append(loss_values)
      if step % 50 == 0:
        print("step %d, loss %.4f" % (step, np.mean(loss_values)))
    final = sess.run(compute_evaluate)
    print("step %d at the end" % global_step.numpy())

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
  tf.compat.v1.app.run()
