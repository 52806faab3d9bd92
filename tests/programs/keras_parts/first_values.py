"""Models that begin with weights of another training: init_fn, and init_from_checkpoint."""

import re

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim


def uniform(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def base(images, is_training):
  """What all of them have."""
  with slim.arg_scope([slim.batch_norm], is_training=is_training, decay=0.8):
    net = slim.fully_connected(
        images, 6, normalizer_fn=slim.batch_norm, weights_initializer=uniform(1),
        scope="base/one")
    return slim.fully_connected(net, 5, weights_initializer=uniform(2), scope="base/two")


def first_fn(features, labels, mode):
  """The training whose weights the others take."""
  training = mode == tf.estimator.ModeKeys.TRAIN
  net = base(features["x"], training)
  logits = tf.layers.dense(net, 3, kernel_initializer=uniform(3), name="logits")
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"logits": logits})
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
  with tf.control_dependencies(update_ops):
    train_op = tf.train.MomentumOptimizer(0.1, 0.9).minimize(
        loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def excluding_fn(features, labels, mode, params):
  """All but the last layer, by contrib's function."""
  training = mode == tf.estimator.ModeKeys.TRAIN
  net = base(features["x"], training)
  logits = tf.layers.dense(net, 2, kernel_initializer=uniform(4), name="logits")
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"logits": logits})
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  scaffold = None
  if mode == tf.estimator.ModeKeys.TRAIN and params["first"]:
    # The new layer begins as it is drawn.
    variables = slim.get_variables_to_restore(exclude=["logits", "global_step"])
    restore = slim.assign_from_checkpoint_fn(
        tf.train.latest_checkpoint(params["first"]), variables)

    def init_fn(scaffold, session):
      tf.logging.info("Restoring %d variables.", len(variables))
      restore(session)

    scaffold = tf.train.Scaffold(init_fn=init_fn)
  update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
  with tf.control_dependencies(update_ops):
    train_op = tf.train.MomentumOptimizer(0.1, 0.9).minimize(
        loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op, scaffold=scaffold)


def get_init_fn_for_scaffold(model_dir, checkpoint_path, exclude, scope, old_scope):
  """What restores the model's variables, but for some, by the names that they had."""
  if tf.train.latest_checkpoint(model_dir):
    tf.logging.info("Ignoring %s: %s has a checkpoint", checkpoint_path, model_dir)
    return None
  exclusions = [name.strip() for name in exclude.split(",")]
  variables_to_restore = {}
  for var in slim.get_model_variables():
    if any(var.op.name.startswith(name) for name in exclusions):
      continue
    variables_to_restore[var.op.name.replace(scope, old_scope)] = var
  if tf.gfile.IsDirectory(checkpoint_path):
    checkpoint_path = tf.train.latest_checkpoint(checkpoint_path)
  saver = tf.train.Saver(variables_to_restore, reshape=False)

  def callback(scaffold, session):
    saver.restore(session, checkpoint_path)

  return callback


def renamed_fn(features, labels, mode, params):
  """Another scope, and a helper that chooses."""
  training = mode == tf.estimator.ModeKeys.TRAIN
  with slim.arg_scope([slim.batch_norm], is_training=training, decay=0.8):
    net = slim.fully_connected(
        features["x"], 6, normalizer_fn=slim.batch_norm,
        weights_initializer=uniform(5), scope="body/one")
    net = slim.fully_connected(net, 5, weights_initializer=uniform(6), scope="body/two")
  logits = slim.fully_connected(
      net, 2, activation_fn=None, weights_initializer=uniform(7), scope="head")
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"logits": logits})
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  train_op = None
  if training:
    update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    with tf.control_dependencies(update_ops):
      train_op = tf.train.AdagradOptimizer(0.1).minimize(
          loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op,
      scaffold=tf.train.Scaffold(init_fn=get_init_fn_for_scaffold(
          params["model_dir"], params["first"], "head, nothing", "body", "base")))


def get_assignment_map_from_checkpoint(tvars, init_checkpoint):
  """The variables that a checkpoint has, and their names there."""
  initialized = {}
  name_to_variable = {}
  for var in tvars:
    name = var.name
    m = re.match("^(.*):\\d+$", name)
    if m is not None:
      name = m.group(1)
    name_to_variable[name] = var
  assignment_map = {}
  for name, _ in tf.train.list_variables(init_checkpoint):
    if name not in name_to_variable or name.startswith("logits"):
      continue
    assignment_map[name] = name
    initialized[name + ":0"] = 1
  return assignment_map, initialized


def model_fn_builder(init_checkpoint, rate):
  def model_fn(features, labels, mode, params):
    """From a checkpoint by names, with variables of its own."""
    with tf.variable_scope("base"):
      with tf.variable_scope("two"):
        weights = tf.get_variable(
            "weights", [6, 5], initializer=tf.truncated_normal_initializer(seed=8))
        biases = tf.get_variable("biases", [5], initializer=tf.zeros_initializer())
    net = tf.nn.relu(tf.matmul(features["x"], weights) + biases)
    logits = tf.layers.dense(net, 2, kernel_initializer=uniform(9), name="logits")

    tvars = tf.trainable_variables()
    initialized_variable_names = {}
    if init_checkpoint:
      (assignment_map, initialized_variable_names
      ) = get_assignment_map_from_checkpoint(tvars, init_checkpoint)
      tf.train.init_from_checkpoint(init_checkpoint, assignment_map)

    tf.logging.info("**** Trainable Variables ****")
    for var in tvars:
      init_string = ""
      if var.name in initialized_variable_names:
        init_string = ", *INIT_FROM_CKPT*"
      tf.logging.info("  name = %s, shape = %s%s", var.name, var.shape, init_string)

    if mode == tf.estimator.ModeKeys.PREDICT:
      return tf.estimator.EstimatorSpec(mode, predictions={"logits": logits})
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    if mode == tf.estimator.ModeKeys.EVAL:
      return tf.estimator.EstimatorSpec(mode, loss=loss)
    train_op = tf.train.GradientDescentOptimizer(rate).minimize(
        loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

  return model_fn


def losses(directory):
  found = {}
  for path in sorted(tf.gfile.Glob(directory + "/events*")):
    for event in tf.train.summary_iterator(path):
      for value in event.summary.value:
        if value.tag == "loss":
          found[event.step] = value.simple_value
  return [found[step] for step in sorted(found)]


def run(directory):
  config = tf.estimator.RunConfig(save_summary_steps=1)
  x = np.random.RandomState(5).randn(40, 6).astype(np.float32)
  three = np.digitize(x.sum(1), [-1, 1]).astype(np.int32)
  two = (x[:, 0] > 0).astype(np.int32)
  inputs = lambda labels: lambda: tf.data.Dataset.from_tensor_slices(
      ({"x": x}, labels)).repeat().batch(8)
  first = tf.estimator.Estimator(first_fn, directory + "/first", config)
  first.train(inputs(three), steps=10)
  results = {"first/losses": losses(directory + "/first")}
  params = {"first": directory + "/first", "model_dir": directory + "/renamed"}
  checkpoint = first.latest_checkpoint()
  for name, estimator in (
      ("excluding", tf.estimator.Estimator(
          excluding_fn, directory + "/excluding", config, params=params)),
      ("renamed", tf.estimator.Estimator(
          renamed_fn, directory + "/renamed", config, params=params)),
      ("by_names", tf.estimator.Estimator(
          model_fn_builder(checkpoint, 0.2), directory + "/by_names", config,
          params={})),
  ):
    estimator.train(inputs(two), steps=6)
    # Goes on from its own checkpoint.
    estimator.train(inputs(two), steps=4)
    results[name + "/losses"] = losses(directory + "/" + name)
    for key, value in estimator.evaluate(inputs(two), steps=5).items():
      results[name + "/eval/" + key] = value
    for key in estimator.get_variable_names():
      results[name + "/variable/" + key] = estimator.get_variable_value(key)
  # Without a checkpoint of its own it predicts with the other's.
  untrained = tf.estimator.Estimator(
      model_fn_builder(checkpoint, 0.2), directory + "/untrained", params={})
  predicted = untrained.predict(
      lambda: tf.data.Dataset.from_tensor_slices({"x": x}).batch(8))
  results["untrained/logits"] = [row["logits"] for row in predicted]
  return results
