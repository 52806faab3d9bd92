"""Rates and optimizers out of functions, averages in a group, penalties of variables."""

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_float("momentum_of_rates", 0.9, "of the optimizer")
FLAGS = flags.FLAGS


def uniform(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def network(features, training):
  net = tf.layers.dense(
      features["x"], 4, kernel_initializer=uniform(1), name="first")
  net = tf.layers.batch_normalization(net, momentum=0.7, training=training)
  net = tf.nn.relu(net)
  return tf.layers.dense(net, 3, kernel_initializer=uniform(2), name="last")


def learning_rate_with_decay(base, boundaries, decays):
  """Returns a function of the step."""
  values = [base * decay for decay in decays]

  def learning_rate_fn(global_step):
    return tf.train.piecewise_constant(
        tf.cast(global_step, tf.int32), boundaries, values)

  return learning_rate_fn


def make_optimizer(rate):
  step = tf.train.get_global_step()
  decayed = tf.train.exponential_decay(rate, step, 4, 0.5, staircase=True)
  return tf.train.AdagradOptimizer(decayed)


def penalty():
  """Of all weights that are no biases."""
  return 0.01 * tf.add_n(
      [tf.nn.l2_loss(v) for v in tf.trainable_variables() if "bias" not in v.name])


def piecewise_fn(features, labels, mode):
  training = mode == tf.estimator.ModeKeys.TRAIN
  logits = network(features, training)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=tf.nn.softmax(logits))
  cross_entropy = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  tf.identity(cross_entropy, name="cross_entropy")
  tf.summary.scalar("cross_entropy", cross_entropy)
  loss = cross_entropy + penalty()
  if training:
    global_step = tf.train.get_or_create_global_step()
    learning_rate_fn = learning_rate_with_decay(0.2, [4, 9], [1, 0.5, 0.1])
    learning_rate = learning_rate_fn(global_step)
    tf.identity(learning_rate, name="learning_rate")
    tf.summary.scalar("learning_rate", learning_rate)
    optimizer = tf.train.MomentumOptimizer(learning_rate, FLAGS.momentum_of_rates)
    minimize_op = optimizer.minimize(loss, global_step)
    update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    train_op = tf.group(minimize_op, update_ops)
  else:
    train_op = None
  accuracy = tf.metrics.accuracy(labels, tf.argmax(logits, axis=1))
  return tf.estimator.EstimatorSpec(
      mode=mode, loss=loss, train_op=train_op,
      eval_metric_ops={"accuracy": accuracy})


def clipped_fn(features, labels, mode, params):
  training = mode == tf.estimator.ModeKeys.TRAIN
  net = tf.layers.dense(features["x"], params["units"], kernel_initializer=uniform(1))
  net = tf.layers.batch_normalization(net, momentum=0.7, training=training)
  logits = tf.layers.dense(tf.nn.relu(net), 3, kernel_initializer=uniform(2))
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  loss += params["l2"] * tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables()])
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss)
  optimizer = make_optimizer(params["rate"])
  update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
  with tf.control_dependencies(update_ops):
    grads_and_vars = optimizer.compute_gradients(loss)
    gradients, variables = zip(*grads_and_vars)
    gradients, _ = tf.clip_by_global_norm(gradients, params["clip"])
    train_op = optimizer.apply_gradients(
        zip(gradients, variables), global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def run(directory):
  if not FLAGS.is_parsed():
    FLAGS(["rates"])
  rng = np.random.RandomState(9)
  x = rng.randn(60, 4).astype(np.float32)
  label = np.argmax(x[:, :3], 1)
  slices = tf.data.Dataset.from_tensor_slices
  results = {}
  for name, estimator in (
      ("piecewise", tf.estimator.Estimator(piecewise_fn, directory + "/piecewise")),
      ("clipped", tf.estimator.Estimator(
          clipped_fn, directory + "/clipped",
          params={"units": 5, "l2": 0.02, "rate": 0.5, "clip": 0.4})),
  ):
    estimator.train(lambda: slices(({"x": x}, label)).repeat(2).batch(9))
    evaluated = estimator.evaluate(lambda: slices(({"x": x}, label)).batch(20))
    results.update({name + "/eval/" + k: v for k, v in evaluated.items()})
    for key in estimator.get_variable_names():
      results[name + "/variable/" + key] = estimator.get_variable_value(key)
  return results
