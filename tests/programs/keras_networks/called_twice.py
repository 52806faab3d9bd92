"""A network of another file, called once as in training and once as not."""

import numpy as np
import tensorflow as tf

import training_log
from called_twice_network import conv_net as network

num_classes = 3
dropout = 0.25


# Define the model function (following TF Estimator Template)
def model_fn(features, labels, mode):
  # Build the neural network
  # Because Dropout have different behavior at training and prediction time, we
  # need to create 2 distinct computation graphs that still share the same weights.
  logits_train = network(features, num_classes, dropout, reuse=False, is_training=True)
  logits_test = network(features, num_classes, dropout, reuse=True, is_training=False)

  # Predictions
  pred_classes = tf.argmax(logits_test, axis=1)

  # If prediction mode, early return
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=pred_classes)

  # Define loss and optimizer
  loss_op = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
      logits=logits_train, labels=tf.cast(labels, dtype=tf.int32)))
  optimizer = tf.train.GradientDescentOptimizer(learning_rate=0.2)
  train_op = optimizer.minimize(loss_op, global_step=tf.train.get_global_step())

  # Evaluate the accuracy of the model
  acc_op = tf.metrics.accuracy(labels=labels, predictions=pred_classes)
  return tf.estimator.EstimatorSpec(
      mode=mode, predictions=pred_classes, loss=loss_op, train_op=train_op,
      eval_metric_ops={'accuracy': acc_op})


def run(directory):
  rng = np.random.RandomState(5)
  images = rng.rand(36, 16).astype(np.float32)
  labels = rng.randint(0, 3, 36)
  model = tf.estimator.Estimator(model_fn, directory, training_log.every_step())
  inputs = tf.estimator.inputs.numpy_input_fn
  model.train(inputs(
      {'images': images}, labels, batch_size=9, num_epochs=None, shuffle=False), steps=8)
  found = training_log.results('twice', model, {})
  found['classes'] = list(model.predict(
      inputs({'images': images}, shuffle=False)))
  return found
