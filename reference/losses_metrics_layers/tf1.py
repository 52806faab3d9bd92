"""Every loss of tf.losses, and layers of tf.layers, trained side by side.

Each loss trains a linear model of its own. The weights of the examples are partly zero,
in every tenth batch all of them. The layers have batch normalisation, whose moving
statistics are updated beside each step, and dropout by an operation seed and by a mask
that is fed.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import tempfile

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("job_name", "worker", "job name: worker or ps")
flags.DEFINE_integer("task_index", 0, "Index of this task in its job")
flags.DEFINE_string("ps_hosts", "localhost:2222", "host:port of the parameter servers")
flags.DEFINE_string("worker_hosts", "localhost:2223", "host:port of the workers")
flags.DEFINE_string("checkpoint_dir", None, "Directory of checkpoints")
flags.DEFINE_string("trace", None, "Prefix of the file that gets each step's values")
flags.DEFINE_string("dtype", "float32", "float32 or float64")
flags.DEFINE_integer("train_steps", 120, "Number of training steps")
flags.DEFINE_integer("seed", 1, "Seed of the data")

FLAGS = flags.FLAGS

FEATURES, CLASSES, BATCH, PIXELS = 6, 4, 12, 8


def initial_weights(shape, dtype=tf.float32, partition_info=None):
  values = np.random.RandomState(FLAGS.seed).randn(*shape)
  return tf.constant(values / np.sqrt(shape[-2]), dtype)


def linear(name, x):
  """A linear model with weights of its own, [batch, CLASSES]."""
  with tf.variable_scope(name):
    w = tf.get_variable("w", [FEATURES, CLASSES], x.dtype, initial_weights)
    b = tf.get_variable("b", [CLASSES], x.dtype, tf.zeros_initializer())
    return tf.matmul(x, w) + b


def main(_):
  cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                  "worker": FLAGS.worker_hosts.split(",")})
  server = tf.train.Server(
      cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
  if FLAGS.job_name == "ps":
    server.join()

  with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    global_step = tf.train.get_or_create_global_step()
    dtype = tf.as_dtype(FLAGS.dtype)
    x = tf.placeholder(dtype, [None, FEATURES])
    y = tf.placeholder(dtype, [None, CLASSES])
    label = tf.placeholder(tf.int32, [None])
    weight = tf.placeholder(dtype, [None])
    images = tf.placeholder(tf.float32, [None, PIXELS, PIXELS, 2])
    mask = tf.placeholder(dtype, [None, 10])
    training = tf.placeholder(tf.bool, [])

    # Losses. A column of weights is broadcast over the outputs of an example.
    column = tf.expand_dims(weight, 1)
    one_hot = tf.one_hot(label, CLASSES, dtype=dtype)
    absolute = tf.losses.absolute_difference(y, linear("absolute", x), column)
    cosine = tf.losses.cosine_distance(
        tf.nn.l2_normalize(y, 1), tf.nn.l2_normalize(linear("cosine", x), 1),
        axis=1, weights=column)
    hinge = tf.losses.hinge_loss(one_hot, linear("hinge", x), column)
    huber = tf.losses.huber_loss(y, linear("huber", x), column, delta=0.5)
    log = tf.losses.log_loss(one_hot, tf.sigmoid(linear("log", x)), column, epsilon=1e-6)
    pairwise = tf.losses.mean_pairwise_squared_error(y, linear("pairwise", x), column)
    squared = tf.losses.mean_squared_error(y, linear("squared", x), column)
    sigmoid = tf.losses.sigmoid_cross_entropy(
        one_hot, linear("sigmoid", x), column, label_smoothing=0.1)
    softmax = tf.losses.softmax_cross_entropy(
        one_hot, linear("softmax", x), weight, label_smoothing=0.1)
    sparse = tf.losses.sparse_softmax_cross_entropy(label, linear("sparse", x), weight)
    weighted = tf.losses.compute_weighted_loss(
        tf.square(linear("weighted", x) - y), column)
    # Reductions other than the default, the mean over non-zero weights.
    summed = tf.losses.mean_squared_error(
        y, linear("summed", x), column, reduction=tf.losses.Reduction.SUM)
    mean = tf.losses.mean_squared_error(
        y, linear("mean", x), column, reduction=tf.losses.Reduction.MEAN)
    over_batch = tf.losses.mean_squared_error(
        y, linear("over_batch", x), column,
        reduction=tf.losses.Reduction.SUM_OVER_BATCH_SIZE)
    unreduced = tf.reduce_mean(tf.losses.mean_squared_error(
        y, linear("unreduced", x), column, reduction=tf.losses.Reduction.NONE))

    # Layers on vectors.
    h = tf.layers.dense(
        x, 10, activation=tf.tanh, kernel_initializer=initial_weights, name="hidden")
    h = tf.layers.batch_normalization(
        h, momentum=0.9, epsilon=0.01, training=training, name="normal")
    h = h * mask / 0.7
    h = tf.layers.dropout(h, 0.4, seed=11, training=training)
    logits = tf.layers.dense(
        h, CLASSES, use_bias=False, kernel_initializer=initial_weights, name="logits")
    dense = tf.reduce_mean(tf.reduce_sum(tf.square(logits - y), axis=1))

    # Layers on images. In TF1 fused batch normalisation is for float32 alone.
    p = tf.layers.conv2d(images, 4, 3, padding="same",
                         kernel_initializer=initial_weights, name="conv")
    p = tf.layers.batch_normalization(p, training=training, name="bn")
    p = tf.layers.max_pooling2d(tf.nn.relu(p), 2, 2)
    p = tf.layers.conv2d_transpose(p, 3, 2, strides=2,
                                   kernel_initializer=initial_weights, name="up")
    p = tf.layers.average_pooling2d(p, 2, 2)
    p = tf.layers.conv2d(p, 3, 2, strides=(2, 1), dilation_rate=(1, 1), use_bias=False,
                         kernel_initializer=initial_weights, name="strided")
    scores = tf.layers.dense(tf.layers.flatten(p), CLASSES,
                             kernel_initializer=initial_weights, name="scores")
    wanted = tf.cast(y, tf.float32)
    convolution = tf.reduce_mean(tf.reduce_sum(tf.square(scores - wanted), axis=1))

    # The same pixels as sequences and as volumes; a layer as an object.
    q = tf.reshape(images, [-1, PIXELS * PIXELS, 2])
    q = tf.layers.conv1d(q, 3, 4, strides=2, activation=tf.nn.relu,
                         kernel_initializer=initial_weights, name="conv1d")
    q = tf.layers.max_pooling1d(q, 2, 2)
    q = tf.layers.average_pooling1d(q, 3, 2, padding="same")
    head = tf.layers.Dense(CLASSES, kernel_initializer=initial_weights, name="head")
    sequence = tf.reduce_mean(
        tf.reduce_sum(tf.square(head(tf.layers.flatten(q)) - wanted), axis=1))
    r = tf.reshape(images, [-1, 4, 4, 4, 2])
    r = tf.layers.conv3d(r, 3, 2, padding="same", activation=tf.nn.relu,
                         kernel_initializer=initial_weights, name="conv3d")
    r = tf.layers.max_pooling3d(r, 2, 2)
    r = tf.layers.conv3d_transpose(r, 2, 2, strides=2,
                                   kernel_initializer=initial_weights, name="up3d")
    r = tf.layers.average_pooling3d(r, 2, 2)
    volume = tf.reduce_mean(tf.reduce_sum(tf.square(
        tf.layers.dense(tf.layers.flatten(r), CLASSES,
                        kernel_initializer=initial_weights, name="tail") - wanted), axis=1))

    # Most losses of tf.losses are float32, whatever they are given.
    total = tf.add_n([tf.cast(value, dtype) for value in [
        absolute, cosine, hinge, huber, log, 0.02 * pairwise, squared, sigmoid, softmax, sparse,
        weighted, 0.01 * summed, mean, over_batch, unreduced, 0.1 * dense,
        0.1 * convolution, 0.1 * sequence, 0.1 * volume]])
    optimizer = tf.train.GradientDescentOptimizer(0.2)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
      train_op = optimizer.minimize(total, global_step=global_step)

  checkpoint_dir = FLAGS.checkpoint_dir or tempfile.mkdtemp()
  rng = np.random.RandomState(FLAGS.seed + 1)
  losses, evaluated = [], []
  with tf.train.MonitoredTrainingSession(
      master=server.target,
      is_chief=(FLAGS.task_index == 0),
      checkpoint_dir=checkpoint_dir,
      save_checkpoint_steps=100000,
      save_summaries_steps=None,
      log_step_count_steps=None,
      hooks=[tf.train.StopAtStepHook(last_step=FLAGS.train_steps)]) as sess:
    while not sess.should_stop():
      features = rng.randn(BATCH, FEATURES)
      wanted = 0.5 * rng.randn(BATCH, CLASSES)
      classes = rng.randint(CLASSES, size=BATCH)
      importance = rng.randint(3, size=BATCH) / 2.0 * (len(losses) % 10 != 9)
      pictures = rng.randn(BATCH, PIXELS, PIXELS, 2)
      kept = (rng.rand(BATCH, 10) < 0.7).astype(FLAGS.dtype)
      evaluated.append(sess.run([logits, scores], feed_dict={
          x: features, images: pictures, mask: kept, training: False}))
      values, _ = sess.run(
          [{"absolute_difference": absolute, "cosine_distance": cosine,
            "hinge_loss": hinge, "huber_loss": huber, "log_loss": log,
            "mean_pairwise_squared_error": pairwise, "mean_squared_error": squared,
            "sigmoid_cross_entropy": sigmoid, "softmax_cross_entropy": softmax,
            "sparse_softmax_cross_entropy": sparse, "compute_weighted_loss": weighted,
            "sum": summed, "mean": mean, "sum_over_batch_size": over_batch,
            "none": unreduced, "dense": dense, "convolution": convolution,
            "sequence": sequence, "volume": volume}, train_op],
          feed_dict={x: features, y: wanted, label: classes, weight: importance,
                     images: pictures, mask: kept, training: True})
      losses.append(values)

  print("final losses: %s" % losses[-1])
  if FLAGS.trace:
    trace = {"loss/" + name: [l[name] for l in losses] for name in losses[0]}
    trace["evaluated/logits"] = [e[0] for e in evaluated]
    trace["evaluated/scores"] = [e[1] for e in evaluated]
    # Variables at the end, moving statistics among them, as the checkpoint has them.
    reader = tf.train.load_checkpoint(checkpoint_dir)
    trace.update({"final/" + name: [reader.get_tensor(name)]
                  for name in reader.get_variable_to_shape_map()})
    np.savez("%s.%d.npz" % (FLAGS.trace, FLAGS.task_index), **trace)


if __name__ == "__main__":
  tf.app.run()
