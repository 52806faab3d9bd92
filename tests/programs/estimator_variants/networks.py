"""Networks of tf.keras in a model_fn: functional, of a class, without a shape, averaged."""

import numpy as np
import tensorflow as tf

from tensorflow import keras
from tensorflow.keras import layers, models

K = keras.backend


def drawn(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


class Tower(keras.Model):
  """Two layers, of which one drops what it is given while it learns."""

  def __init__(self, units):
    super(Tower, self).__init__()
    self.hidden = layers.Dense(
        units, activation="relu", kernel_initializer=drawn(1))
    self.dropout = layers.Dropout(0.9)
    self.out = layers.Dense(3, kernel_initializer=drawn(2))

  def call(self, inputs, training=None):
    return self.out(self.dropout(self.hidden(inputs), training=training))


def compared():
  """A network of two inputs, which one network looks at."""
  left = layers.Input(shape=(6,), name="left")
  right = keras.Input(shape=(6,), name="right")
  look = models.Sequential(name="look")
  look.add(layers.Dense(
      5, activation=tf.nn.tanh, kernel_initializer=drawn(3),
      kernel_regularizer=keras.regularizers.l2(0.01)))
  look.add(layers.Dropout(0.5))  # Nobody says that it learns.
  both = layers.concatenate([look(left), look(right)])
  out = layers.Dense(3, kernel_initializer=drawn(4))(both)
  return models.Model(inputs=[left, right], outputs=out)


def averaged():
  return keras.Sequential([
      layers.Dense(4, kernel_initializer=drawn(5)),
      layers.BatchNormalization(momentum=0.5),
      layers.Dense(3, kernel_initializer=drawn(6)),
  ])


def model_fn(features, labels, mode):
  training = mode == tf.estimator.ModeKeys.TRAIN
  model = compared()
  logits = model([features["a"], features["b"]])
  logits += Tower(7)(features["a"], training=False)
  if training:
    K.set_learning_phase(1)
  average = averaged()
  logits += average(features["b"])
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(
        mode, predictions={"probabilities": tf.nn.softmax(logits)})
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  loss += tf.add_n(model.losses)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss)
  optimizer = tf.train.MomentumOptimizer(0.05, 0.9)
  with tf.control_dependencies(average.get_updates_for(features["b"])):
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
  rng = np.random.RandomState(1)
  features = {
      "a": rng.rand(32, 6).astype(np.float32),
      "b": rng.rand(32, 6).astype(np.float32),
  }
  labels = rng.randint(3, size=32)
  return tf.data.Dataset.from_tensor_slices((features, labels)).batch(8)


def run(directory):
  estimator = tf.estimator.Estimator(model_fn, directory)
  results = {}
  for step in (2, 6):  # The second one goes on from the first one's checkpoint.
    estimator.train(input_fn, max_steps=step)
    results["loss_%d" % step] = estimator.evaluate(input_fn)["loss"]
  results["probabilities"] = np.stack(
      [row["probabilities"] for row in estimator.predict(input_fn)])
  for name, _ in tf.train.list_variables(directory):
    results[name] = estimator.get_variable_value(name)
  return results
