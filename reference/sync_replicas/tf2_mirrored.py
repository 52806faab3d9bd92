"""The same training in one process: MirroredStrategy on two logical CPU devices.

Replica i computes on the batches that worker i of the TF1 program reads, and the
checkpoint is TF1's as well. Written by hand: one process has no job or task flags to
choose it by.
"""
import math

import numpy as np
import tensorflow as tf
import mnist_input_data
import training_session

flags = tf.compat.v1.app.flags
flags.DEFINE_string("data_dir", "/tmp/mnist-data", "Directory of the MNIST files")
flags.DEFINE_string("checkpoint_dir", None, "Directory of checkpoints and summaries")
flags.DEFINE_string("trace", None, "Prefix of the files that get each step's losses")
flags.DEFINE_string("dtype", "float32", "float32 or float64")
flags.DEFINE_integer("train_steps", 200, "Number of training steps")
flags.DEFINE_integer("batch_size", 100, "Training batch size of one replica")
flags.DEFINE_integer("hidden_units", 100, "Number of units in the hidden layer")
flags.DEFINE_float("learning_rate", 0.01, "Learning rate")
flags.DEFINE_string("optimizer", "sgd", "One of sgd, momentum, adam, adagrad")
flags.DEFINE_string("loss", "cross_entropy", "cross_entropy or squared")
flags.DEFINE_integer("seed", 1, "Seed of the order of the training examples")

FLAGS = flags.FLAGS

IMAGE_PIXELS = 28
REPLICAS = 2


def make_optimizer(name, learning_rate):
  if name == "momentum":
    return tf.compat.v1.train.MomentumOptimizer(learning_rate, 0.9)
  if name == "adam":
    return tf.compat.v1.train.AdamOptimizer(learning_rate)
  if name == "adagrad":
    return tf.compat.v1.train.AdagradOptimizer(learning_rate)
  return tf.compat.v1.train.GradientDescentOptimizer(learning_rate)


class Reader(object):
  """One worker's examples, with numpy's generator in the state of that worker."""

  def __init__(self, seed):
    self._mnist = mnist_input_data.read_data_sets(
        FLAGS.data_dir, one_hot=True, validation_size=0, seed=seed)
    self._state = np.random.get_state()

  def next_batch(self, size):
    np.random.set_state(self._state)
    batch = self._mnist.train.next_batch(size)
    self._state = np.random.get_state()
    return batch


def main(unused_argv):
  cpus = tf.config.list_physical_devices("CPU")
  tf.config.set_logical_device_configuration(
      cpus[0], [tf.config.LogicalDeviceConfiguration()] * REPLICAS)
  strategy = tf.distribute.MirroredStrategy(
      ["CPU:%d" % i for i in range(REPLICAS)])
  replicas = training_session.SynchronousReplicas(strategy, 0)

  with strategy.scope(), replicas.recording():
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

    variables = [hid_w, hid_b, sm_w, sm_b]

    def replica_step(x, y_):
      # The replicas' batches come one after the other in one array.
      context = tf.distribute.get_replica_context()
      x, y_ = (a[context.replica_id_in_sync_group] for a in (x, y_))
      with tf.GradientTape() as tape:
        hid = tf.nn.relu(tf.compat.v1.nn.xw_plus_b(x, hid_w, hid_b))
        logits = tf.compat.v1.nn.xw_plus_b(hid, sm_w, sm_b)
        if FLAGS.loss == "squared":
          loss = tf.reduce_mean(tf.reduce_sum(tf.square(logits - y_), axis=1))
        else:
          loss = tf.reduce_mean(
              tf.nn.softmax_cross_entropy_with_logits(labels=y_, logits=logits))
      # apply_gradients adds up what the replicas give; SyncReplicas averaged it.
      gradients = [g / REPLICAS for g in tape.gradient(loss, variables)]
      opt.apply_gradients(zip(gradients, variables), global_step=global_step)
      return loss

    @tf.function(input_signature=[
        tf.TensorSpec([REPLICAS, None, IMAGE_PIXELS * IMAGE_PIXELS], dtype),
        tf.TensorSpec([REPLICAS, None, 10], dtype)])
    def train_step(x, y_):
      losses = strategy.run(replica_step, args=(x, y_))
      return strategy.experimental_local_results(losses)

    # Traced now, so that the slots exist, and are recorded, before the checkpoint is read.
    train_step.get_concrete_function()

  saved = {name: parts[0] for name, parts in replicas.entries().items()}
  if FLAGS.checkpoint_dir:
    latest = tf.train.latest_checkpoint(FLAGS.checkpoint_dir)
    if latest:
      checkpoint = tf.train.load_checkpoint(latest)
      for name, variable in saved.items():
        variable.assign(checkpoint.get_tensor(name))

  readers = [Reader(FLAGS.seed + i) for i in range(REPLICAS)]
  losses = []
  while global_step.numpy() < FLAGS.train_steps:
    batches = [reader.next_batch(FLAGS.batch_size) for reader in readers]
    images, labels = (np.stack(arrays).astype(FLAGS.dtype) for arrays in zip(*batches))
    losses.append([loss.numpy() for loss in train_step(images, labels)])

  if FLAGS.checkpoint_dir:
    saver = tf.compat.v1.train.Saver({n: v.values[0] for n, v in saved.items()})
    saver.save(None, FLAGS.checkpoint_dir + "/model.ckpt", global_step=global_step)
  if FLAGS.trace:
    for i in range(REPLICAS):
      np.savez("%s.%d.npz" % (FLAGS.trace, i), loss=np.array(losses)[:, i])


if __name__ == "__main__":
  tf.compat.v1.app.run()
