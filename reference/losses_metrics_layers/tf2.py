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
import tf_keras
import training_session

flags = tf.compat.v1.app.flags
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
  with tf.name_scope(name):
    w = tf.Variable(initial_weights([FEATURES, CLASSES], dtype=x.dtype), name="w")
    b = tf.Variable(tf.compat.v1.zeros_initializer()([CLASSES], dtype=x.dtype), name="b")

  def apply(x):
    with tf.name_scope(name):
      return tf.matmul(x, w) + b

  return apply


def main(_):
  cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                  "worker": FLAGS.worker_hosts.split(",")})
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
    global_step = training_session.create_global_step()
    dtype = tf.as_dtype(FLAGS.dtype)
    x_spec = tf.TensorSpec([None, FEATURES], dtype)
    absolute_of = linear(name="absolute", x=x_spec)
    cosine_of = linear(name="cosine", x=x_spec)
    hinge_of = linear(name="hinge", x=x_spec)
    huber_of = linear(name="huber", x=x_spec)
    log_of = linear(name="log", x=x_spec)
    pairwise_of = linear(name="pairwise", x=x_spec)
    squared_of = linear(name="squared", x=x_spec)
    sigmoid_of = linear(name="sigmoid", x=x_spec)
    softmax_of = linear(name="softmax", x=x_spec)
    sparse_of = linear(name="sparse", x=x_spec)
    weighted_of = linear(name="weighted", x=x_spec)
    summed_of = linear(name="summed", x=x_spec)
    mean_of = linear(name="mean", x=x_spec)
    over_batch_of = linear(name="over_batch", x=x_spec)
    unreduced_of = linear(name="unreduced", x=x_spec)
    hidden = tf_keras.layers.Dense(units=10, activation=tf.tanh, kernel_initializer=initial_weights, name="hidden")
    normal = tf_keras.layers.BatchNormalization(momentum=0.9, epsilon=0.01, name="normal")
    logits_layer = tf_keras.layers.Dense(units=CLASSES, use_bias=False, kernel_initializer=initial_weights, name="logits")
    conv = tf_keras.layers.Conv2D(filters=4, kernel_size=3, padding="same", kernel_initializer=initial_weights, name="conv")
    bn = tf_keras.layers.BatchNormalization(name="bn")
    max_pooling2d = tf_keras.layers.MaxPooling2D(pool_size=2, strides=2)
    up = tf_keras.layers.Conv2DTranspose(filters=3, kernel_size=2, strides=2, kernel_initializer=initial_weights, name="up")
    average_pooling2d = tf_keras.layers.AveragePooling2D(pool_size=2, strides=2)
    strided = tf_keras.layers.Conv2D(filters=3, kernel_size=2, strides=(2, 1), dilation_rate=(1, 1), use_bias=False, kernel_initializer=initial_weights, name="strided")
    flatten = tf_keras.layers.Flatten()
    scores_layer = tf_keras.layers.Dense(units=CLASSES, kernel_initializer=initial_weights, name="scores")
    conv1d = tf_keras.layers.Conv1D(filters=3, kernel_size=4, strides=2, activation=tf.nn.relu, kernel_initializer=initial_weights, name="conv1d")
    max_pooling1d = tf_keras.layers.MaxPooling1D(pool_size=2, strides=2)
    average_pooling1d = tf_keras.layers.AveragePooling1D(pool_size=3, strides=2, padding="same")
    head = tf_keras.layers.Dense(CLASSES, kernel_initializer=initial_weights, name="head")
    flatten_layer = tf_keras.layers.Flatten()
    conv3d = tf_keras.layers.Conv3D(filters=3, kernel_size=2, padding="same", activation=tf.nn.relu, kernel_initializer=initial_weights, name="conv3d")
    max_pooling3d = tf_keras.layers.MaxPooling3D(pool_size=2, strides=2)
    up3d = tf_keras.layers.Conv3DTranspose(filters=2, kernel_size=2, strides=2, kernel_initializer=initial_weights, name="up3d")
    average_pooling3d = tf_keras.layers.AveragePooling3D(pool_size=2, strides=2)
    flatten_2 = tf_keras.layers.Flatten()
    tail = tf_keras.layers.Dense(units=CLASSES, kernel_initializer=initial_weights, name="tail")
    optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.2)

    @replicas.step_function(
        tf.TensorSpec([None, FEATURES], dtype),
        tf.TensorSpec([None, CLASSES], dtype),
        tf.TensorSpec([None], tf.int32),
        tf.TensorSpec([None], dtype),
        tf.TensorSpec([None, PIXELS, PIXELS, 2], tf.float32),
        tf.TensorSpec([None, 10], dtype),
        tf.TensorSpec([], tf.bool))
    def train_step(x, y, label, weight, images, mask, training):
      with tf.GradientTape() as tape:
        # Losses. A column of weights is broadcast over the outputs of an example.
        column = tf.expand_dims(weight, 1)
        one_hot = tf.one_hot(label, CLASSES, dtype=dtype)
        absolute = tf.compat.v1.losses.absolute_difference(y, absolute_of(x), column)
        cosine = tf.compat.v1.losses.cosine_distance(
            tf.nn.l2_normalize(y, 1), tf.nn.l2_normalize(cosine_of(x), 1),
            axis=1, weights=column)
        hinge = tf.compat.v1.losses.hinge_loss(one_hot, hinge_of(x), column)
        huber = tf.compat.v1.losses.huber_loss(y, huber_of(x), column, delta=0.5)
        log = tf.compat.v1.losses.log_loss(one_hot, tf.sigmoid(log_of(x)), column, epsilon=1e-6)
        pairwise = tf.compat.v1.losses.mean_pairwise_squared_error(y, pairwise_of(x), column)
        squared = tf.compat.v1.losses.mean_squared_error(y, squared_of(x), column)
        sigmoid = tf.compat.v1.losses.sigmoid_cross_entropy(
            one_hot, sigmoid_of(x), column, label_smoothing=0.1)
        softmax = tf.compat.v1.losses.softmax_cross_entropy(
            one_hot, softmax_of(x), weight, label_smoothing=0.1)
        sparse = tf.compat.v1.losses.sparse_softmax_cross_entropy(label, sparse_of(x), weight)
        weighted = tf.compat.v1.losses.compute_weighted_loss(
            tf.square(weighted_of(x) - y), column)
        # Reductions other than the default, the mean over non-zero weights.
        summed = tf.compat.v1.losses.mean_squared_error(
            y, summed_of(x), column, reduction=tf.compat.v1.losses.Reduction.SUM)
        mean = tf.compat.v1.losses.mean_squared_error(
            y, mean_of(x), column, reduction=tf.compat.v1.losses.Reduction.MEAN)
        over_batch = tf.compat.v1.losses.mean_squared_error(
            y, over_batch_of(x), column,
            reduction=tf.compat.v1.losses.Reduction.SUM_OVER_BATCH_SIZE)
        unreduced = tf.reduce_mean(tf.compat.v1.losses.mean_squared_error(
            y, unreduced_of(x), column, reduction=tf.losses.Reduction.NONE))

        # Layers on vectors.
        h = hidden(x)
        h = normal(h, training=training)
        h = h * mask / 0.7
        h = training_session.dropout(h, rate=0.4, seed=11, training=training)
        logits = logits_layer(h)
        dense = tf.reduce_mean(tf.reduce_sum(tf.square(logits - y), axis=1))

        # Layers on images. In TF1 fused batch normalisation is for float32 alone.
        p = conv(images)
        p = bn(p, training=training)
        p = max_pooling2d(tf.nn.relu(p))
        p = up(p)
        p = average_pooling2d(p)
        p = strided(p)
        scores = scores_layer(flatten(p))
        wanted = tf.cast(y, tf.float32)
        convolution = tf.reduce_mean(tf.reduce_sum(tf.square(scores - wanted), axis=1))

        # The same pixels as sequences and as volumes; a layer as an object.
        q = tf.reshape(images, [-1, PIXELS * PIXELS, 2])
        q = conv1d(q)
        q = max_pooling1d(q)
        q = average_pooling1d(q)
        sequence = tf.reduce_mean(
            tf.reduce_sum(tf.square(head(flatten_layer(q)) - wanted), axis=1))
        r = tf.reshape(images, [-1, 4, 4, 4, 2])
        r = conv3d(r)
        r = max_pooling3d(r)
        r = up3d(r)
        r = average_pooling3d(r)
        volume = tf.reduce_mean(tf.reduce_sum(tf.square(
            tail(flatten_2(r)) - wanted), axis=1))

        # Most losses of tf.losses are float32, whatever they are given.
        total = tf.add_n([tf.cast(value, dtype) for value in [
            absolute, cosine, hinge, huber, log, 0.02 * pairwise, squared, sigmoid, softmax, sparse,
            weighted, 0.01 * summed, mean, over_batch, unreduced, 0.1 * dense,
            0.1 * convolution, 0.1 * sequence, 0.1 * volume]])
      variables = replicas.trainable_variables
      gradients = tape.gradient(total, variables)
      optimizer.apply_gradients(zip(gradients, variables), global_step=global_step)
      return {"absolute_difference": absolute, "cosine_distance": cosine, "hinge_loss": hinge, "huber_loss": huber, "log_loss": log, "mean_pairwise_squared_error": pairwise, "mean_squared_error": squared, "sigmoid_cross_entropy": sigmoid, "softmax_cross_entropy": softmax, "sparse_softmax_cross_entropy": sparse, "compute_weighted_loss": weighted, "sum": summed, "mean": mean, "sum_over_batch_size": over_batch, "none": unreduced, "dense": dense, "convolution": convolution, "sequence": sequence, "volume": volume}

    @replicas.step_function(
        tf.TensorSpec([None, FEATURES], dtype),
        tf.TensorSpec([None, PIXELS, PIXELS, 2], tf.float32),
        tf.TensorSpec([None, 10], dtype),
        tf.TensorSpec([], tf.bool))
    def compute_logits_and_scores(x, images, mask, training):
      # Layers on vectors.
      h = hidden(x)
      h = normal(h, training=training)
      h = h * mask / 0.7
      h = training_session.dropout(h, rate=0.4, seed=11, training=training)
      logits = logits_layer(h)

      # Layers on images. In TF1 fused batch normalisation is for float32 alone.
      p = conv(images)
      p = bn(p, training=training)
      p = max_pooling2d(tf.nn.relu(p))
      p = up(p)
      p = average_pooling2d(p)
      p = strided(p)
      scores = scores_layer(flatten(p))
      return [logits, scores]

  def run_worker(task_index):
    checkpoint_dir = FLAGS.checkpoint_dir or tempfile.mkdtemp()
    rng = np.random.RandomState(FLAGS.seed + 1)
    losses, evaluated = [], []
    with training_session.MonitoredTrainingSession(
        replicas,
        is_chief=(task_index == 0),
        checkpoint_dir=checkpoint_dir,
        save_checkpoint_steps=100000,
        save_summaries_steps=None,
        log_step_count_steps=None,
        hooks=[training_session.StopAtStepHook(last_step=FLAGS.train_steps)]) as sess:
      while not sess.should_stop():
        features = rng.randn(BATCH, FEATURES)
        wanted = 0.5 * rng.randn(BATCH, CLASSES)
        classes = rng.randint(CLASSES, size=BATCH)
        importance = rng.randint(3, size=BATCH) / 2.0 * (len(losses) % 10 != 9)
        pictures = rng.randn(BATCH, PIXELS, PIXELS, 2)
        kept = (rng.rand(BATCH, 10) < 0.7).astype(FLAGS.dtype)
        evaluated.append(sess.run(compute_logits_and_scores, features, pictures, kept, False))
        values = sess.run(train_step, features, wanted, classes, importance, pictures, kept, True)
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
      np.savez("%s.%d.npz" % (FLAGS.trace, task_index), **trace)

  replicas.run(run_worker)


if __name__ == "__main__":
  tf.compat.v1.app.run()
