"""A small language model, pretrained and then tuned to classify: builders of model_fn and input_fn.

The form of public BERT code: TPUEstimators without a TPU, self-attention with layer
normalisation, Adam with weight decay under a rate that warms up, and an encoder that
starts from another model's checkpoint.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import collections
import math
import os
import re
import tempfile

import numpy as np
import tensorflow as tf
import contrib_layers
import estimator_loop

flags = tf.compat.v1.flags
flags.DEFINE_string("trace", None, "Prefix of the file that gets the values")
flags.DEFINE_string("dtype", "float32", "float32")
flags.DEFINE_integer("train_steps", 100, "Steps of tuning")
flags.DEFINE_integer("pretrain_steps", 20, "Steps of pretraining")
flags.DEFINE_integer("train_batch_size", 8, "Rows of a training batch")
flags.DEFINE_bool("use_tpu", False, "Whether there is a TPU")

FLAGS = flags.FLAGS

LENGTH = 6


class Config(object):
  """What the encoder is like."""

  def __init__(self, vocab_size, hidden_size, num_layers, num_heads, dropout_prob,
               initializer_range):
    self.vocab_size = vocab_size
    self.hidden_size = hidden_size
    self.num_layers = num_layers
    self.num_heads = num_heads
    self.dropout_prob = dropout_prob
    self.initializer_range = initializer_range
    self.seed = 0

  def next_seed(self):
    self.seed += 1
    return self.seed


def create_initializer(config):
  return tf.compat.v1.truncated_normal_initializer(
      stddev=config.initializer_range, seed=config.next_seed())


def gelu(x):
  return x * 0.5 * (1.0 + tf.math.erf(x / math.sqrt(2.0)))


def dropout(x, dropout_prob, seed):
  if dropout_prob is None or dropout_prob == 0.0:
    return x
  return tf.nn.dropout(x, rate=1 - (1.0 - dropout_prob), seed=seed)


def layer_norm(x, name=None):
  return contrib_layers.layer_norm(
      inputs=x, begin_norm_axis=-1, begin_params_axis=-1, scope=name)


def attention(x, mask, config, is_training):
  """Self-attention; `mask` is 1 where there is a word."""
  batch, length, width = tf.shape(x)[0], x.shape[1], x.shape[2]
  size = width // config.num_heads

  def heads(name):
    projected = estimator_loop.layers.dense(
        x, width, name=name, kernel_initializer=create_initializer(config))
    split = tf.reshape(projected, [batch, length, config.num_heads, size])
    return tf.transpose(split, [0, 2, 1, 3])

  query, key, value = heads("query"), heads("key"), heads("value")
  scores = tf.matmul(query, key, transpose_b=True) / math.sqrt(float(size))
  scores += (1.0 - tf.cast(mask[:, tf.newaxis, tf.newaxis, :], tf.float32)) * -10000.0
  probs = tf.nn.softmax(scores)
  if is_training:
    probs = dropout(probs, config.dropout_prob, seed=11)
  context = tf.transpose(tf.matmul(probs, value), [0, 2, 1, 3])
  return tf.reshape(context, [batch, length, width])


class Encoder(object):
  """Words to vectors."""

  def __init__(self, config, is_training, input_ids, input_mask, scope=None):
    config.seed = 0
    with tf.compat.v1.variable_scope(scope, default_name="encoder"):
      with tf.compat.v1.variable_scope("embeddings"):
        self.table = tf.compat.v1.get_variable(
            name="word_embeddings", shape=[config.vocab_size, config.hidden_size],
            initializer=create_initializer(config))
        net = tf.gather(self.table, input_ids)
        position = tf.compat.v1.get_variable(
            name="position_embeddings", shape=[LENGTH, config.hidden_size],
            initializer=create_initializer(config))
        net = layer_norm(net + tf.expand_dims(position, 0))
        if is_training:
          net = dropout(net, config.dropout_prob, seed=10)
      for index in range(config.num_layers):
        with tf.compat.v1.variable_scope("layer_%d" % index):
          with tf.compat.v1.variable_scope("attention"):
            context = attention(net, input_mask, config, is_training)
            with tf.compat.v1.variable_scope("output"):
              output = estimator_loop.layers.dense(
                  context, config.hidden_size,
                  kernel_initializer=create_initializer(config))
              net = layer_norm(output + net)
          with tf.compat.v1.variable_scope("intermediate"):
            hidden = estimator_loop.layers.dense(
                net, 2 * config.hidden_size, activation=gelu,
                kernel_initializer=create_initializer(config))
          with tf.compat.v1.variable_scope("output"):
            output = estimator_loop.layers.dense(
                hidden, config.hidden_size,
                kernel_initializer=create_initializer(config))
            net = layer_norm(output + net)
      self.sequence_output = net
      with tf.compat.v1.variable_scope("pooler"):
        first = tf.squeeze(net[:, 0:1, :], axis=1)
        self.pooled_output = estimator_loop.layers.dense(
            first, config.hidden_size, activation=tf.tanh,
            kernel_initializer=create_initializer(config))


class AdamWeightDecayOptimizer(tf.compat.v1.train.Optimizer):
  """Adam with weight decay that is no part of the loss."""

  def __init__(self, learning_rate, weight_decay_rate=0.0, beta_1=0.9, beta_2=0.999,
               epsilon=1e-6, exclude_from_weight_decay=None,
               name="AdamWeightDecayOptimizer"):
    super(AdamWeightDecayOptimizer, self).__init__(False, name)
    self.learning_rate = learning_rate
    self.weight_decay_rate = weight_decay_rate
    self.beta_1 = beta_1
    self.beta_2 = beta_2
    self.epsilon = epsilon
    self.exclude_from_weight_decay = exclude_from_weight_decay

  def apply_gradients(self, grads_and_vars, global_step=None, name=None):
    assignments = []
    for (grad, param) in grads_and_vars:
      if grad is None or param is None:
        continue
      param_name = self._get_variable_name(param.name)
      m = tf.compat.v1.get_variable(
          name=param_name + "/adam_m", shape=param.shape.as_list(),
          dtype=tf.float32, trainable=False, initializer=tf.compat.v1.zeros_initializer())
      v = tf.compat.v1.get_variable(
          name=param_name + "/adam_v", shape=param.shape.as_list(),
          dtype=tf.float32, trainable=False, initializer=tf.compat.v1.zeros_initializer())
      next_m = tf.multiply(self.beta_1, m) + tf.multiply(1.0 - self.beta_1, grad)
      next_v = tf.multiply(self.beta_2, v) + tf.multiply(
          1.0 - self.beta_2, tf.square(grad))
      update = next_m / (tf.sqrt(next_v) + self.epsilon)
      if self._do_use_weight_decay(param_name):
        update += self.weight_decay_rate * param
      next_param = param - self.learning_rate * update
      assignments.extend(
          [param.assign(next_param), m.assign(next_m), v.assign(next_v)])
    return tf.group(*assignments, name=name)

  def _do_use_weight_decay(self, param_name):
    if not self.weight_decay_rate:
      return False
    for pattern in self.exclude_from_weight_decay or []:
      if re.search(pattern, param_name) is not None:
        return False
    return True

  def _get_variable_name(self, param_name):
    match = re.match("^(.*):\\d+$", param_name)
    return match.group(1) if match is not None else param_name


def create_optimizer(loss, init_lr, num_train_steps, num_warmup_steps):
  global_step = tf.compat.v1.train.get_or_create_global_step()
  learning_rate = tf.constant(value=init_lr, shape=[], dtype=tf.float32)
  learning_rate = tf.compat.v1.train.polynomial_decay(
      learning_rate, global_step, num_train_steps, end_learning_rate=0.0, power=1.0,
      cycle=False)
  if num_warmup_steps:
    global_steps_int = tf.cast(global_step, tf.int32)
    warmup_steps_int = tf.constant(num_warmup_steps, dtype=tf.int32)
    percent_done = (tf.cast(global_steps_int, tf.float32) /
                    tf.cast(warmup_steps_int, tf.float32))
    warmup_learning_rate = init_lr * percent_done
    is_warmup = tf.cast(global_steps_int < warmup_steps_int, tf.float32)
    learning_rate = ((1.0 - is_warmup) * learning_rate +
                     is_warmup * warmup_learning_rate)
  optimizer = AdamWeightDecayOptimizer(
      learning_rate=learning_rate, weight_decay_rate=0.01,
      exclude_from_weight_decay=["LayerNorm", "layer_norm", "bias"])
  tvars = tf.compat.v1.trainable_variables()
  grads = tf.compat.v1.gradients(loss, tvars)
  (grads, _) = tf.clip_by_global_norm(grads, clip_norm=1.0)
  train_op = optimizer.apply_gradients(zip(grads, tvars), global_step=global_step)
  # Public BERT code counts beside the update, and so races with the rate's reading.
  with tf.control_dependencies([train_op]):
    return tf.group(global_step.assign(global_step + 1))


def get_assignment_map_from_checkpoint(tvars, init_checkpoint):
  """Names of the checkpoint that are variables here too."""
  name_to_variable = collections.OrderedDict()
  for var in tvars:
    name_to_variable[re.match("^(.*):\\d+$", var.name).group(1)] = var
  assignment_map = collections.OrderedDict()
  for (name, _) in tf.train.list_variables(init_checkpoint):
    if name in name_to_variable:
      assignment_map[name] = name
  return assignment_map


class Losses(estimator_loop.SessionRunHook):
  """Keeps the loss of every step."""

  values = []

  def begin(self):
    self._loss = tf.compat.v1.get_collection(tf.compat.v1.GraphKeys.LOSSES)[-1]

  def before_run(self, run_context):
    return estimator_loop.SessionRunArgs(self._loss)

  def after_run(self, run_context, run_values):
    self.values.append(run_values.results)


def model_fn_builder(config, num_labels, init_checkpoint, learning_rate,
                     num_train_steps, num_warmup_steps):
  """Returns a model_fn: which word was hidden (num_labels None), or which class it is."""

  def model_fn(features, labels, mode, params):  # pylint: disable=unused-argument
    tf.compat.v1.logging.info("*** Features ***")
    for name in sorted(features.keys()):
      tf.compat.v1.logging.info("  name = %s, shape = %s", name, features[name].shape)
    label_ids = features["label_ids"]
    is_training = (mode == estimator_loop.ModeKeys.TRAIN)
    model = Encoder(
        config, is_training, features["input_ids"], features["input_mask"],
        scope="bert")
    if num_labels is None:
      with tf.compat.v1.variable_scope("cls/predictions"):
        bias = tf.compat.v1.get_variable(
            "output_bias", [config.vocab_size], initializer=tf.compat.v1.zeros_initializer())
      logits = tf.matmul(model.pooled_output, model.table, transpose_b=True) + bias
      depth = config.vocab_size
    else:
      output_weights = tf.compat.v1.get_variable(
          "output_weights", [num_labels, config.hidden_size],
          initializer=create_initializer(config))
      output_bias = tf.compat.v1.get_variable(
          "output_bias", [num_labels], initializer=tf.compat.v1.zeros_initializer())
      logits = tf.matmul(model.pooled_output, output_weights, transpose_b=True)
      logits = tf.nn.bias_add(logits, output_bias)
      depth = num_labels
    with tf.compat.v1.variable_scope("loss"):
      probabilities = tf.nn.softmax(logits, axis=-1)
      log_probs = tf.nn.log_softmax(logits, axis=-1)
      one_hot_labels = tf.one_hot(label_ids, depth=depth, dtype=tf.float32)
      per_example_loss = -tf.reduce_sum(one_hot_labels * log_probs, axis=-1)
      total_loss = tf.reduce_mean(per_example_loss)

    tvars = tf.compat.v1.trainable_variables()
    scaffold_fn = None
    if init_checkpoint:
      assignment_map = get_assignment_map_from_checkpoint(tvars, init_checkpoint)
      estimator_loop.init_from_checkpoint(init_checkpoint, assignment_map)

    output_spec = None
    if mode == estimator_loop.ModeKeys.TRAIN:
      train_op = create_optimizer(
          total_loss, learning_rate, num_train_steps, num_warmup_steps)
      output_spec = estimator_loop.tpu.TPUEstimatorSpec(
          mode=mode, loss=total_loss, train_op=train_op, scaffold_fn=scaffold_fn)
    elif mode == estimator_loop.ModeKeys.EVAL:

      def metric_fn(per_example_loss, label_ids, logits):
        predictions = tf.argmax(logits, axis=-1, output_type=tf.int32)
        return {
            "eval_accuracy": tf.compat.v1.metrics.accuracy(label_ids, predictions),
            "eval_loss": tf.compat.v1.metrics.mean(per_example_loss),
        }

      output_spec = estimator_loop.tpu.TPUEstimatorSpec(
          mode=mode, loss=total_loss,
          eval_metrics=(metric_fn, [per_example_loss, label_ids, logits]),
          scaffold_fn=scaffold_fn)
    else:
      output_spec = estimator_loop.tpu.TPUEstimatorSpec(
          mode=mode, predictions={"probabilities": probabilities},
          scaffold_fn=scaffold_fn)
    return output_spec

  return model_fn


def input_fn_builder(seed, rows, num_labels, is_training, drop_remainder):
  """Returns an input_fn: sentences, where they end, and what is asked of them."""
  rng = np.random.RandomState(seed)
  all_input_ids = rng.randint(1, 12, size=(rows, LENGTH)).astype(np.int32)
  ends = rng.randint(3, LENGTH + 1, size=(rows, 1))
  all_input_mask = (np.arange(LENGTH) < ends).astype(np.int32)
  all_input_ids *= all_input_mask
  all_label_ids = all_input_ids[:, 1]
  if num_labels is not None:
    all_label_ids = (all_input_ids.sum(axis=1) > 20).astype(np.int32) + (
        all_input_ids[:, 0] > 8)

  def input_fn(params):
    batch_size = params["batch_size"]
    d = tf.data.Dataset.from_tensor_slices({
        "input_ids": tf.constant(
            all_input_ids, shape=[rows, LENGTH], dtype=tf.int32),
        "input_mask": tf.constant(
            all_input_mask, shape=[rows, LENGTH], dtype=tf.int32),
        "label_ids": tf.constant(all_label_ids, shape=[rows], dtype=tf.int32),
    })
    if is_training:
      d = d.repeat()
    return d.batch(batch_size=batch_size, drop_remainder=drop_remainder)

  return input_fn


def build_estimator(model_fn, model_dir):
  run_config = estimator_loop.tpu.RunConfig(
      cluster=None, master=None, model_dir=model_dir, save_checkpoints_steps=50,
      tpu_config=estimator_loop.tpu.TPUConfig(
          iterations_per_loop=50, num_shards=8,
          per_host_input_for_training=estimator_loop.tpu.InputPipelineConfig.PER_HOST_V2))
  return estimator_loop.tpu.TPUEstimator(
      use_tpu=FLAGS.use_tpu, model_fn=model_fn, config=run_config,
      train_batch_size=FLAGS.train_batch_size, eval_batch_size=16,
      predict_batch_size=16)


def main(_):
  directory = tempfile.mkdtemp()
  config = Config(vocab_size=12, hidden_size=8, num_layers=2, num_heads=2,
                  dropout_prob=0.1, initializer_range=0.3)
  pretrained = os.path.join(directory, "pretrained")
  build_estimator(
      model_fn_builder(config, None, None, 0.002, FLAGS.pretrain_steps, 0),
      pretrained).train(
          input_fn=input_fn_builder(1, 64, None, True, True),
          max_steps=FLAGS.pretrain_steps)

  estimator = build_estimator(
      model_fn_builder(
          config, 3, os.path.join(pretrained, "model.ckpt-%d" % FLAGS.pretrain_steps),
          learning_rate=0.002, num_train_steps=FLAGS.train_steps,
          num_warmup_steps=FLAGS.train_steps // 10),
      os.path.join(directory, "tuned"))
  estimator.train(
      input_fn=input_fn_builder(2, 96, 3, True, True), max_steps=FLAGS.train_steps,
      hooks=[Losses()])
  test_input_fn = input_fn_builder(3, 40, 3, False, False)
  evaluation = estimator.evaluate(input_fn=test_input_fn)
  if FLAGS.trace:
    trace = {"loss": Losses.values}
    trace.update({"eval/" + name: [value] for name, value in evaluation.items()})
    trace["probabilities"] = [
        p["probabilities"] for p in estimator.predict(input_fn=test_input_fn)]
    for name in estimator.get_variable_names():
      trace["variable/" + name] = [estimator.get_variable_value(name)]
    np.savez(FLAGS.trace + ".0.npz", **trace)


if __name__ == "__main__":
  tf.compat.v1.app.run()
