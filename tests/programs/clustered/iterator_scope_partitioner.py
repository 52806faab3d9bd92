"""Classifier fed by an initializable tf.data iterator; compat.v1 import."""
import os

from absl import app, flags, logging
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

FLAGS = flags.FLAGS

flags.DEFINE_list("ps_hosts", None, "Parameter servers, host:port.")
flags.DEFINE_list("worker_hosts", None, "Workers, host:port.")
flags.DEFINE_enum("job_name", None, ["ps", "worker"], "This task's job.")
flags.DEFINE_integer("task_index", 0, "This task's index.")
flags.DEFINE_string("dir", None, "Output directory.")
flags.DEFINE_integer("epochs", 3, "Passes over the data.")
flags.DEFINE_float("lr", 2.0, "Learning rate.")


def make_data(num_examples=96, seed=11):
  rng = np.random.RandomState(seed)
  features = rng.uniform(-1, 1, size=(num_examples, 6)).astype(np.float32)
  labels = (features[:, 0] + features[:, 1] > 0).astype(np.int32)
  return features, np.eye(2, dtype=np.float32)[labels]


def network(features):
  """Two layers; a second call shares the variables of the first."""
  with tf.variable_scope("network", reuse=tf.AUTO_REUSE,
                         partitioner=tf.variable_axis_size_partitioner(64)):
    with tf.variable_scope("hidden"):
      w = tf.get_variable("w", shape=[6, 8], dtype=tf.float32,
                          initializer=tf.random_normal_initializer(stddev=0.3, seed=21))
      hidden = tf.nn.elu(tf.matmul(features, w))
    with tf.variable_scope("logits"):
      w = tf.get_variable("w", shape=[8, 2], dtype=tf.float32,
                          initializer=tf.glorot_uniform_initializer(seed=22))
      b = tf.get_variable("b", shape=[2], initializer=tf.zeros_initializer(),
                          partitioner=None)
      return tf.nn.xw_plus_b(hidden, w, b)


def main(unused_argv):
  cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts, "worker": FLAGS.worker_hosts})
  server = tf.train.Server(cluster.as_cluster_def(), FLAGS.job_name, FLAGS.task_index,
                           start=True)
  if FLAGS.job_name == "ps":
    server.join()

  is_chief = FLAGS.task_index == 0
  features, labels = make_data()

  with tf.device(tf.train.replica_device_setter(
      len(FLAGS.ps_hosts), worker_device="/job:worker/task:%d" % FLAGS.task_index)):
    global_step = tf.train.get_or_create_global_step()
    dataset = tf.data.Dataset.from_tensor_slices((features, labels))
    dataset = dataset.repeat(FLAGS.epochs).batch(16).prefetch(1)
    iterator = dataset.make_initializable_iterator()
    batch_features, batch_labels = iterator.get_next()

    logits = network(batch_features)
    loss = tf.losses.softmax_cross_entropy(onehot_labels=batch_labels, logits=logits)

    # The whole training set at once.
    all_logits = network(tf.constant(features))
    accuracy = tf.reduce_mean(tf.cast(
        tf.equal(tf.argmax(all_logits, 1), tf.argmax(labels, 1)), tf.float32))

    decayed = tf.train.inverse_time_decay(FLAGS.lr, global_step, 10, 0.5)
    optimizer = tf.train.AdadeltaOptimizer(decayed, rho=0.9, epsilon=1e-6)
    train_op = optimizer.minimize(loss, global_step)

  scaffold = tf.train.Scaffold(
      local_init_op=tf.group(tf.local_variables_initializer(), iterator.initializer))
  with tf.train.MonitoredTrainingSession(
      server.target, is_chief, os.path.join(FLAGS.dir, "train"), scaffold=scaffold,
      save_summaries_steps=0, log_step_count_steps=10) as session:
    with open(os.path.join(FLAGS.dir, "loss.%d" % FLAGS.task_index), "w") as log:
      print("accuracy before: %.3f" % session.run(accuracy))
      try:
        while True:
          loss_value, step, _ = session.run((loss, global_step, train_op))
          log.write("%d %r\n" % (step, float(loss_value)))
          log.flush()
          if step % 6 == 0:
            logging.info("step %d: accuracy %.3f", step, session.run(accuracy))
      except tf.errors.OutOfRangeError:
        logging.info("end of data")


if __name__ == "__main__":
  flags.mark_flags_as_required(["ps_hosts", "worker_hosts", "job_name", "dir"])
  app.run(main)
