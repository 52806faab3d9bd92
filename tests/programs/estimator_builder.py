"""A model_fn from a builder, as in language models: layer norm, own optimizer, warm-up."""

from __future__ import print_function

import collections
import os
import re

import numpy as np
import tensorflow as tf

flags = tf.flags
flags.DEFINE_string("dir", None, "Where results go")
flags.DEFINE_integer("steps", 30, "Training steps")
FLAGS = flags.FLAGS

Config = collections.namedtuple("Config", ["vocabulary", "width", "layers"])


class AdamWeightDecayOptimizer(tf.train.Optimizer):
  """Adam with weight decay that is no part of the loss."""

  def __init__(self, learning_rate, weight_decay_rate=0.0, beta_1=0.9, beta_2=0.999,
               epsilon=1e-6, exclude=None, name="AdamWeightDecayOptimizer"):
    super(AdamWeightDecayOptimizer, self).__init__(False, name)
    self.learning_rate = learning_rate
    self.weight_decay_rate = weight_decay_rate
    self.beta_1 = beta_1
    self.beta_2 = beta_2
    self.epsilon = epsilon
    self.exclude = exclude or []

  def apply_gradients(self, grads_and_vars, global_step=None, name=None):
    assignments = []
    for (grad, param) in grads_and_vars:
      if grad is None or param is None:
        continue
      param_name = re.match("^(.*):\\d+$", param.name).group(1)
      m = tf.get_variable(
          name=param_name + "/adam_m", shape=param.shape.as_list(), dtype=tf.float32,
          trainable=False, initializer=tf.zeros_initializer())
      v = tf.get_variable(
          name=param_name + "/adam_v", shape=param.shape.as_list(), dtype=tf.float32,
          trainable=False, initializer=tf.zeros_initializer())
      next_m = tf.multiply(self.beta_1, m) + tf.multiply(1.0 - self.beta_1, grad)
      next_v = tf.multiply(self.beta_2, v) + tf.multiply(
          1.0 - self.beta_2, tf.square(grad))
      update = next_m / (tf.sqrt(next_v) + self.epsilon)
      if not any(re.search(r, param_name) for r in self.exclude):
        update += self.weight_decay_rate * param
      next_param = param - self.learning_rate * update
      assignments.extend([param.assign(next_param), m.assign(next_m), v.assign(next_v)])
    return tf.group(*assignments, name=name)


def create_optimizer(loss, init_lr, num_train_steps, num_warmup_steps):
  global_step = tf.train.get_or_create_global_step()
  learning_rate = tf.constant(value=init_lr, shape=[], dtype=tf.float32)
  learning_rate = tf.train.polynomial_decay(
      learning_rate, global_step, num_train_steps, end_learning_rate=0.0, power=1.0)
  if num_warmup_steps:
    steps = tf.cast(global_step, tf.int32)
    warmup = tf.constant(num_warmup_steps, dtype=tf.int32)
    percent = tf.cast(steps, tf.float32) / tf.cast(warmup, tf.float32)
    is_warmup = tf.cast(steps < warmup, tf.float32)
    learning_rate = (
        (1.0 - is_warmup) * learning_rate + is_warmup * init_lr * percent)
  optimizer = AdamWeightDecayOptimizer(
      learning_rate=learning_rate, weight_decay_rate=0.01, exclude=["norm", "bias", "LayerNorm"])
  tvars = tf.trainable_variables()
  grads = tf.gradients(loss, tvars)
  (grads, _) = tf.clip_by_global_norm(grads, clip_norm=1.0)
  train_op = optimizer.apply_gradients(zip(grads, tvars), global_step=global_step)
  with tf.control_dependencies([train_op]):
    return tf.group(global_step.assign(global_step + 1))


def layer_norm(x, name):
  with tf.variable_scope(name):
    gamma = tf.get_variable("gamma", [x.shape[-1]], initializer=tf.ones_initializer())
    beta = tf.get_variable("beta", [x.shape[-1]], initializer=tf.zeros_initializer())
    mean, variance = tf.nn.moments(x, axes=[-1], keep_dims=True)
    return gamma * (x - mean) * tf.rsqrt(variance + 1e-12) + beta


class Model(object):
  """Embeds words, mixes them, pools them."""

  def __init__(self, config, is_training, input_ids, scope=None):
    with tf.variable_scope(scope, default_name="model"):
      with tf.variable_scope("embeddings"):
        self.table = tf.get_variable(
            name="word_embeddings", shape=[config.vocabulary, config.width],
            initializer=tf.truncated_normal_initializer(stddev=0.5))
        net = tf.gather(self.table, input_ids)
        net = tf.contrib.layers.layer_norm(
            inputs=net, begin_norm_axis=-1, begin_params_axis=-1, scope="norm")
      with tf.variable_scope("encoder"):
        for i in range(config.layers):
          with tf.variable_scope("layer_%d" % i):
            hidden = tf.layers.dense(
                net, config.width, activation=tf.tanh,
                kernel_initializer=tf.truncated_normal_initializer(stddev=0.3))
            if is_training:
              hidden = tf.nn.dropout(hidden, keep_prob=0.9, seed=3)
            net = layer_norm(net + hidden, "output_norm")
      self.pooled = tf.contrib.layers.fully_connected(
          tf.reduce_mean(net, axis=1), config.width, activation_fn=tf.tanh,
          weights_initializer=tf.truncated_normal_initializer(stddev=0.3))


def get_assignment_map(tvars, checkpoint):
  names = {re.match("^(.*):\\d+$", v.name).group(1) for v in tvars}
  found = collections.OrderedDict()
  for name, _ in tf.train.list_variables(checkpoint):
    if name in names and "embeddings" in name:
      found[name] = name
  return found


def model_fn_builder(config, learning_rate, num_train_steps, num_warmup_steps,
                     init_checkpoint=None):
  """Returns the model_fn."""

  def model_fn(features, labels, mode, params):
    tf.logging.info("*** %d features ***", len(features))
    is_training = (mode == tf.estimator.ModeKeys.TRAIN)
    model = Model(config, is_training, features["input_ids"])
    output_weights = tf.get_variable(
        "output_weights", [2, config.width],
        initializer=tf.truncated_normal_initializer(stddev=0.2))
    output_bias = tf.get_variable(
        "output_bias", [2], initializer=tf.zeros_initializer())
    with tf.variable_scope("loss"):
      logits = tf.matmul(model.pooled, output_weights, transpose_b=True)
      logits = tf.nn.bias_add(logits, output_bias)
      probabilities = tf.nn.softmax(logits, axis=-1)

    scaffold = None
    tvars = tf.trainable_variables()
    if init_checkpoint and mode == tf.estimator.ModeKeys.TRAIN:
      assignment_map = get_assignment_map(tvars, init_checkpoint)
      tf.train.init_from_checkpoint(init_checkpoint, assignment_map)

    if mode == tf.estimator.ModeKeys.PREDICT:
      return tf.estimator.EstimatorSpec(
          mode=mode, predictions={"probabilities": probabilities}, scaffold=scaffold)

    one_hot = tf.one_hot(features["label_ids"], depth=2, dtype=tf.float32)
    per_example = -tf.reduce_sum(one_hot * tf.nn.log_softmax(logits, axis=-1), axis=-1)
    loss = tf.reduce_mean(per_example)
    output_spec = None
    if mode == tf.estimator.ModeKeys.TRAIN:
      train_op = create_optimizer(
          loss, learning_rate, num_train_steps, num_warmup_steps)
      output_spec = tf.estimator.EstimatorSpec(
          mode=mode, loss=loss, train_op=train_op, scaffold=scaffold)
    elif mode == tf.estimator.ModeKeys.EVAL:

      def metric_fn(per_example, label_ids, logits):
        predicted = tf.argmax(logits, axis=-1, output_type=tf.int32)
        return {
            "eval_accuracy": tf.metrics.accuracy(label_ids, predicted),
            "eval_loss": tf.metrics.mean(per_example),
        }

      output_spec = tf.estimator.EstimatorSpec(
          mode=mode, loss=loss,
          eval_metric_ops=metric_fn(per_example, features["label_ids"], logits))
    else:
      raise ValueError("Only TRAIN, EVAL and PREDICT modes are supported: %s" % mode)
    return output_spec

  return model_fn


def input_fn_builder(vocabulary, length, is_training, rows):
  """Returns the input_fn."""

  def input_fn(params):
    rng = np.random.RandomState(5)
    ids = rng.randint(vocabulary, size=(rows, length)).astype(np.int32)
    labels = (ids.sum(axis=1) % 2).astype(np.int32)
    d = tf.data.Dataset.from_tensor_slices({
        "input_ids": tf.constant(ids, shape=[rows, length], dtype=tf.int32),
        "label_ids": tf.constant(labels, shape=[rows], dtype=tf.int32),
    })
    if is_training:
      d = d.repeat()
    return d.batch(batch_size=params["batch_size"], drop_remainder=is_training)

  return input_fn


def main(_):
  # Without it TF1 may read a variable while another assignment writes it.
  tf.enable_resource_variables()
  model_dir = os.path.join(FLAGS.dir, "model")
  config = Config(vocabulary=12, width=6, layers=2)
  model_fn = model_fn_builder(
      config, learning_rate=0.02, num_train_steps=40, num_warmup_steps=5,
      init_checkpoint=os.path.join(FLAGS.dir, "pretrained"))
  estimator = tf.estimator.Estimator(
      model_fn, model_dir=model_dir, params={"batch_size": 8},
      config=tf.estimator.RunConfig(save_checkpoints_steps=10, keep_checkpoint_max=9))
  estimator.train(
      input_fn=input_fn_builder(12, 5, True, 48), max_steps=FLAGS.steps)
  evaluation = estimator.evaluate(input_fn=input_fn_builder(12, 5, False, 21))
  found = [p["probabilities"] for p in estimator.predict(
      input_fn=input_fn_builder(12, 5, False, 21))]
  results = {"eval/" + name: value for name, value in evaluation.items()}
  results["probabilities"] = np.array(found)
  for name in estimator.get_variable_names():
    results["variable/" + name] = estimator.get_variable_value(name)
  np.savez(os.path.join(FLAGS.dir, "results.npz"), **results)


if __name__ == "__main__":
  tf.app.run()
