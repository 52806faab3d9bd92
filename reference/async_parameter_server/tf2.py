"""Distributed MNIST, asynchronous: workers update shared variables on parameter servers.

Start one process per task, e.g. for two parameter servers and two workers:

  python tf1.py --job_name=ps --task_index=0 --ps_hosts=... --worker_hosts=...
  python tf1.py --job_name=ps --task_index=1 ...
  python tf1.py --job_name=worker --task_index=0 ...
  python tf1.py --job_name=worker --task_index=1 ...
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import math
import time

import numpy as np
import tensorflow as tf
import mnist_input_data
import training_session

flags = tf.compat.v1.app.flags
flags.DEFINE_string("data_dir", "/tmp/mnist-data", "Directory of the MNIST files")
flags.DEFINE_string("checkpoint_dir", None, "Directory of checkpoints and summaries")
flags.DEFINE_string("trace", None, "Prefix of the file that gets each step's loss")
flags.DEFINE_string("dtype", "float32", "float32 or float64")
flags.DEFINE_integer("train_steps", 200, "Number of (global) training steps")
flags.DEFINE_integer("batch_size", 100, "Training batch size")
flags.DEFINE_integer("hidden_units", 100, "Number of units in the hidden layer")
flags.DEFINE_float("learning_rate", 0.01, "Learning rate")
flags.DEFINE_string("optimizer", "sgd", "One of sgd, momentum, adam, adagrad")
flags.DEFINE_string("loss", "cross_entropy", "cross_entropy or squared")
flags.DEFINE_integer("seed", 1, "Seed of the order of the training examples")
flags.DEFINE_string("ps_hosts", "localhost:2222",
                    "Comma-separated list of hostname:port pairs")
flags.DEFINE_string("worker_hosts", "localhost:2223,localhost:2224",
                    "Comma-separated list of hostname:port pairs")
flags.DEFINE_string("job_name", None, "job name: worker or ps")
flags.DEFINE_integer("task_index", None, "Worker task index; 0 is the chief")

FLAGS = flags.FLAGS

IMAGE_PIXELS = 28


def make_optimizer(name, learning_rate):
  if name == "momentum":
    return tf.compat.v1.train.MomentumOptimizer(learning_rate, 0.9)
  if name == "adam":
    return tf.compat.v1.train.AdamOptimizer(learning_rate)
  if name == "adagrad":
    return tf.compat.v1.train.AdagradOptimizer(learning_rate)
  return tf.compat.v1.train.GradientDescentOptimizer(learning_rate)


def main(unused_argv):
  print("job name = %s, task index = %d" % (FLAGS.job_name, FLAGS.task_index))

  # Construct the cluster and start the server.
  ps_hosts = FLAGS.ps_hosts.split(",")
  worker_hosts = FLAGS.worker_hosts.split(",")
  cluster = tf.train.ClusterSpec({"ps": ps_hosts, "worker": worker_hosts})
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
          training_session.with_coordinator(cluster), rpc_layer="grpc"))
  replicas = training_session.AsynchronousReplicas(strategy, cluster)

  with strategy.scope(), replicas.recording():
    # The device setter puts variables on the parameter servers, one after another,
    # and the computation on this worker.
    global_step = training_session.create_global_step()

    dtype = tf.as_dtype(FLAGS.dtype)

    # Variables of the hidden layer
    hid_w = tf.Variable(
        tf.random.truncated_normal([IMAGE_PIXELS * IMAGE_PIXELS, FLAGS.hidden_units],
                                   stddev=1.0 / IMAGE_PIXELS, dtype=dtype), name="hid_w")
    hid_b = tf.Variable(tf.zeros([FLAGS.hidden_units], dtype), name="hid_b")

    # Variables of the softmax layer
    sm_w = tf.Variable(
        tf.random.truncated_normal([FLAGS.hidden_units, 10],
                                   stddev=1.0 / math.sqrt(FLAGS.hidden_units),
                                   dtype=dtype),
        name="sm_w")
    sm_b = tf.Variable(tf.zeros([10], dtype), name="sm_b")

    opt = make_optimizer(FLAGS.optimizer, FLAGS.learning_rate)

    @replicas.step_function(
        tf.TensorSpec([None, IMAGE_PIXELS * IMAGE_PIXELS], dtype),
        tf.TensorSpec([None, 10], dtype))
    def train_step(x, y_):
      # A fetched variable has its value before the update.
      global_step_value = global_step.read_value()
      with tf.GradientTape() as tape:
        hid = tf.nn.relu(tf.compat.v1.nn.xw_plus_b(x, hid_w, hid_b))
        logits = tf.compat.v1.nn.xw_plus_b(hid, sm_w, sm_b)
        if FLAGS.loss == "squared":
          loss = tf.reduce_mean(tf.reduce_sum(tf.square(logits - y_), axis=1))
        else:
          loss = tf.reduce_mean(
              tf.nn.softmax_cross_entropy_with_logits(labels=y_, logits=logits))
      variables = replicas.trainable_variables
      gradients = tape.gradient(loss, variables)
      opt.apply_gradients(zip(gradients, variables), global_step=global_step)
      return global_step_value, loss

    @replicas.step_function(
        tf.TensorSpec([None, IMAGE_PIXELS * IMAGE_PIXELS], dtype),
        tf.TensorSpec([None, 10], dtype))
    def compute_accuracy(x, y_):
      hid = tf.nn.relu(tf.compat.v1.nn.xw_plus_b(x, hid_w, hid_b))
      logits = tf.compat.v1.nn.xw_plus_b(hid, sm_w, sm_b)

      correct = tf.equal(tf.argmax(logits, 1), tf.argmax(y_, 1))
      accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))
      return accuracy

  def run_worker(task_index):
    is_chief = (task_index == 0)
    mnist = mnist_input_data.read_data_sets(FLAGS.data_dir, one_hot=True,
                                            validation_size=0, seed=FLAGS.seed)

    hooks = [training_session.StopAtStepHook(last_step=FLAGS.train_steps)]
    losses = []
    start = time.time()
    with training_session.MonitoredTrainingSession(
        replicas,
        is_chief=is_chief,
        checkpoint_dir=FLAGS.checkpoint_dir,
        save_checkpoint_steps=1000,
        save_summaries_steps=None,
        hooks=hooks) as sess:
      local_step = 0
      while not sess.should_stop():
        batch_xs, batch_ys = mnist.train.next_batch(FLAGS.batch_size)
        step, loss_value = sess.run(train_step, batch_xs, batch_ys)
        local_step += 1
        losses.append(loss_value)
        if local_step % 100 == 0 and not sess.should_stop():
          train_accuracy = sess.run(compute_accuracy, batch_xs, batch_ys)
          print("%f: worker %d: %d local steps (global step: %d), loss %g, accuracy %g"
                % (time.time(), task_index, local_step, step, loss_value,
                   train_accuracy))

    if FLAGS.trace:
      np.savez("%s.%d.npz" % (FLAGS.trace, task_index), loss=losses)
    print("Training took %.1f s" % (time.time() - start))

  replicas.run(run_worker)


if __name__ == "__main__":
  tf.compat.v1.app.run()
