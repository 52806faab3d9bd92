"""Asynchronous regression that goes on where its last checkpoint was, after any failure.

Start one process per task, e.g. for one parameter server and two workers:

  python tf1.py --job_name=ps --task_index=0 --ps_hosts=... --worker_hosts=...
  python tf1.py --job_name=worker --task_index=0 ...
  python tf1.py --job_name=worker --task_index=1 ...
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import numpy as np
import tensorflow as tf
import training_session

flags = tf.compat.v1.app.flags
flags.DEFINE_string("checkpoint_dir", None, "Directory of checkpoints")
flags.DEFINE_string("trace", None, "Prefix of the file that gets each step's loss")
flags.DEFINE_string("dtype", "float32", "float32 or float64")
flags.DEFINE_integer("train_steps", 120, "Number of (global) training steps")
flags.DEFINE_integer("save_steps", 20, "Steps between two checkpoints")
flags.DEFINE_integer("batch_size", 8, "Training batch size")
flags.DEFINE_integer("num_batches", 128, "Number of batches of examples")
flags.DEFINE_integer("seed", 1, "Seed of the examples")
flags.DEFINE_string("ps_hosts", "localhost:2222",
                    "Comma-separated list of hostname:port pairs")
flags.DEFINE_string("worker_hosts", "localhost:2223,localhost:2224",
                    "Comma-separated list of hostname:port pairs")
flags.DEFINE_string("job_name", None, "job name: worker or ps")
flags.DEFINE_integer("task_index", None, "Worker task index; 0 is the chief")

FLAGS = flags.FLAGS

FEATURES = 16


def make_examples(number):
  rng = np.random.RandomState(FLAGS.seed)
  x = rng.normal(size=(number, FEATURES))
  y = np.tanh(x.dot(rng.normal(size=(FEATURES, 1))))
  return x, y


def main(unused_argv):
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
  num_workers = len(worker_hosts)
  x_data, y_data = make_examples(FLAGS.num_batches * FLAGS.batch_size)
  # Those before the checkpoint were trained on before the restart.
  checkpoint = tf.train.latest_checkpoint(FLAGS.checkpoint_dir)
  first_batch = int(checkpoint.split("-")[-1]) if checkpoint else 0

  with strategy.scope(), replicas.recording():
    global_step = training_session.create_global_step()

    dtype = tf.as_dtype(FLAGS.dtype)

    w1 = tf.Variable(tf.random.truncated_normal([FEATURES, 8], stddev=0.3, dtype=dtype),
                     name="w1")
    w2 = tf.Variable(tf.random.truncated_normal([8, 1], stddev=0.3, dtype=dtype),
                     name="w2")
    # The gradient of a batch's entry is 1 whenever it is trained on, and nothing
    # else: the entries count how often each batch was.
    trained = tf.Variable(tf.zeros([FLAGS.num_batches], dtype), name="trained")
    # A power of two, so that a count is exact.
    opt = tf.compat.v1.train.GradientDescentOptimizer(0.0625)

    @replicas.step_function(
        tf.TensorSpec([None, FEATURES], dtype),
        tf.TensorSpec([None, 1], dtype),
        tf.TensorSpec([], tf.int32))
    def train_step(x, y, number):
      with tf.GradientTape() as tape:
        error = tf.matmul(tf.tanh(tf.matmul(x, w1)), w2) - y
        loss = tf.reduce_mean(tf.square(error))
        count = tf.reduce_sum(
            tf.one_hot(number, FLAGS.num_batches, dtype=dtype) * trained)
        training_loss = loss + count
      variables = replicas.trainable_variables
      gradients = tape.gradient(training_loss, variables)
      opt.apply_gradients(zip(gradients, variables), global_step=global_step)
      return loss

  def run_worker(task_index):
    is_chief = (task_index == 0)

    hooks = [training_session.StopAtStepHook(last_step=FLAGS.train_steps)]
    losses, batches = [], []
    with training_session.MonitoredTrainingSession(
        replicas,
        is_chief=is_chief,
        checkpoint_dir=FLAGS.checkpoint_dir,
        save_checkpoint_steps=FLAGS.save_steps,
        save_summaries_steps=None,
        hooks=hooks) as sess:
      batch = first_batch + task_index
      while not sess.should_stop():
        begin = batch * FLAGS.batch_size
        end = begin + FLAGS.batch_size
        loss_value = sess.run(train_step, x_data[begin:end], y_data[begin:end], batch)
        losses.append(loss_value)
        batches.append(batch)
        batch += num_workers

    print("worker %d: %d steps, loss %g" % (task_index, len(losses), losses[-1]))
    if FLAGS.trace:
      np.savez("%s.%d.npz" % (FLAGS.trace, task_index),
               loss=losses, batch=batches)

  replicas.run(run_worker)


if __name__ == "__main__":
  tf.compat.v1.app.run()
