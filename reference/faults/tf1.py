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

flags = tf.app.flags
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
  server = tf.train.Server(
      cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
  if FLAGS.job_name == "ps":
    server.join()

  is_chief = (FLAGS.task_index == 0)
  num_workers = len(worker_hosts)
  x_data, y_data = make_examples(FLAGS.num_batches * FLAGS.batch_size)
  # Those before the checkpoint were trained on before the restart.
  checkpoint = tf.train.latest_checkpoint(FLAGS.checkpoint_dir)
  first_batch = int(checkpoint.split("-")[-1]) if checkpoint else 0

  with tf.device(tf.train.replica_device_setter(
      worker_device="/job:worker/task:%d" % FLAGS.task_index,
      cluster=cluster)):
    global_step = tf.train.get_or_create_global_step()

    dtype = tf.as_dtype(FLAGS.dtype)
    x = tf.placeholder(dtype, [None, FEATURES])
    y = tf.placeholder(dtype, [None, 1])
    number = tf.placeholder(tf.int32, [])

    w1 = tf.Variable(tf.truncated_normal([FEATURES, 8], stddev=0.3, dtype=dtype),
                     name="w1")
    w2 = tf.Variable(tf.truncated_normal([8, 1], stddev=0.3, dtype=dtype),
                     name="w2")
    # The gradient of a batch's entry is 1 whenever it is trained on, and nothing
    # else: the entries count how often each batch was.
    trained = tf.Variable(tf.zeros([FLAGS.num_batches], dtype), name="trained")

    error = tf.matmul(tf.tanh(tf.matmul(x, w1)), w2) - y
    loss = tf.reduce_mean(tf.square(error))
    count = tf.reduce_sum(
        tf.one_hot(number, FLAGS.num_batches, dtype=dtype) * trained)
    # A power of two, so that a count is exact.
    opt = tf.train.GradientDescentOptimizer(0.0625)
    train_op = opt.minimize(loss + count, global_step=global_step)

  hooks = [tf.train.StopAtStepHook(last_step=FLAGS.train_steps)]
  losses, batches = [], []
  with tf.train.MonitoredTrainingSession(
      master=server.target,
      is_chief=is_chief,
      checkpoint_dir=FLAGS.checkpoint_dir,
      save_checkpoint_steps=FLAGS.save_steps,
      save_summaries_steps=None,
      hooks=hooks) as sess:
    batch = first_batch + FLAGS.task_index
    while not sess.should_stop():
      begin = batch * FLAGS.batch_size
      end = begin + FLAGS.batch_size
      _, loss_value = sess.run(
          [train_op, loss],
          feed_dict={x: x_data[begin:end], y: y_data[begin:end], number: batch})
      losses.append(loss_value)
      batches.append(batch)
      batch += num_workers

  print("worker %d: %d steps, loss %g" % (FLAGS.task_index, len(losses), losses[-1]))
  if FLAGS.trace:
    np.savez("%s.%d.npz" % (FLAGS.trace, FLAGS.task_index),
             loss=losses, batch=batches)


if __name__ == "__main__":
  tf.app.run()
