"""Asynchronous where there is a job name, else alone; a helper gives device and target."""
from __future__ import print_function

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("job_name", None, "ps or worker; nothing to train alone")
flags.DEFINE_integer("task_index", 0, "index within the job")
flags.DEFINE_string("ps_hosts", None, "comma-separated host:port")
flags.DEFINE_string("worker_hosts", None, "comma-separated host:port")
flags.DEFINE_string("dir", "/tmp/train", "where losses and checkpoints go")
FLAGS = flags.FLAGS


def device_and_target():
  """The device of the graph, and the server to open the session on."""
  # Without a job name this is one machine.
  if FLAGS.job_name is None:
    print("Training on a single machine")
    return (None, "")

  # Otherwise it takes part in a cluster.
  if FLAGS.ps_hosts is None or FLAGS.worker_hosts is None:
    raise ValueError("hosts must be given")
  cluster_spec = tf.train.ClusterSpec({
      "ps": FLAGS.ps_hosts.split(","),
      "worker": FLAGS.worker_hosts.split(","),
  })
  server = tf.train.Server(
      cluster_spec, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
  if FLAGS.job_name == "ps":
    server.join()

  worker_device = "/job:worker/task:{}".format(FLAGS.task_index)
  return (
      tf.train.replica_device_setter(worker_device=worker_device, cluster=cluster_spec),
      server.target,
  )


def main(_):
  device, target = device_and_target()
  with tf.device(device):
    images = tf.placeholder(tf.float32, [None, 6])
    labels = tf.placeholder(tf.int64, [None])
    hidden = tf.layers.dense(images, 5, activation=tf.nn.relu, name="hidden",
                             kernel_initializer=tf.constant_initializer(0.1))
    weights = tf.get_variable("weights", [5, 3], initializer=tf.ones_initializer())
    logits = tf.matmul(hidden, weights)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    global_step = tf.train.get_or_create_global_step()
    train_op = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, global_step=global_step)

  rng = np.random.RandomState(3)
  log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
  with tf.train.MonitoredTrainingSession(
      master=target,
      is_chief=(FLAGS.task_index == 0),
      checkpoint_dir=FLAGS.dir + "/train",
      hooks=[tf.train.StopAtStepHook(last_step=25)]) as sess:
    while not sess.should_stop():
      xs = rng.rand(8, 6)
      _, value, step = sess.run([train_op, loss, global_step],
                                feed_dict={images: xs, labels: (xs.sum(1) * 10) % 3})
      log.write("%d %r\n" % (step, float(value)))
  log.close()


if __name__ == "__main__":
  tf.app.run()
