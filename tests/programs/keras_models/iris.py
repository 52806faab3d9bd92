"""The tutorial's custom Estimator: feature columns, hidden layers by a list, class names."""

import numpy as np
import tensorflow as tf


def uniform(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def my_model(features, labels, mode, params):
  """DNN with hidden layers, and dropout of 0.1 probability."""
  # Create hidden layers, sized according to the 'hidden_units' param.
  net = tf.feature_column.input_layer(features, params['feature_columns'])
  for units in params['hidden_units']:
    net = tf.layers.dense(
        net, units=units, activation=tf.nn.relu, kernel_initializer=uniform(units))

  # Compute logits (1 per class).
  logits = tf.layers.dense(
      net, params['n_classes'], activation=None, kernel_initializer=uniform(1))

  # Compute predictions.
  predicted_classes = tf.argmax(logits, 1)
  if mode == tf.estimator.ModeKeys.PREDICT:
    predictions = {
        'class_ids': predicted_classes[:, tf.newaxis],
        'probabilities': tf.nn.softmax(logits),
        'logits': logits,
    }
    return tf.estimator.EstimatorSpec(mode, predictions=predictions)

  # Compute loss.
  loss = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)

  # Compute evaluation metrics.
  accuracy = tf.metrics.accuracy(labels=labels,
                                 predictions=predicted_classes,
                                 name='acc_op')
  metrics = {'accuracy': accuracy}
  tf.summary.scalar('accuracy', accuracy[1])

  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(
        mode, loss=loss, eval_metric_ops=metrics)

  # Create training op.
  assert mode == tf.estimator.ModeKeys.TRAIN

  optimizer = tf.train.AdagradOptimizer(learning_rate=0.1)
  train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def rows(seed, count):
  rng = np.random.RandomState(seed)
  length = rng.rand(count).astype(np.float32)
  width = rng.rand(count).astype(np.float32)
  place = rng.choice(['bog', 'hill', 'shore'], count)
  label = (length > width).astype(np.int32) + (place == 'bog')
  return {'length': length, 'width': width, 'place': place}, label.astype(np.int32)


def run(directory):
  numeric = [tf.feature_column.numeric_column(key) for key in ('length', 'width')]
  place = tf.feature_column.categorical_column_with_vocabulary_list(
      'place', ['bog', 'hill', 'shore'])
  columns = numeric + [
      tf.feature_column.embedding_column(place, 2, initializer=uniform(3))]
  classifier = tf.estimator.Estimator(
      model_fn=my_model,
      model_dir=directory,
      params={
          'feature_columns': columns,
          # Two hidden layers of 10 and 6 nodes.
          'hidden_units': [10, 6],
          # The model must choose between 3 classes.
          'n_classes': 3,
      })

  def input_fn(seed, repeated):
    dataset = tf.data.Dataset.from_tensor_slices(rows(seed, 60))
    return dataset.repeat(3 if repeated else 1).batch(12)

  classifier.train(input_fn=lambda: input_fn(1, True))
  results = classifier.evaluate(input_fn=lambda: input_fn(2, False))
  found = list(classifier.predict(input_fn=lambda: input_fn(2, False)))
  for name in ('class_ids', 'probabilities', 'logits'):
    results[name] = [p[name] for p in found]
  for name in classifier.get_variable_names():
    results['variable/' + name] = classifier.get_variable_value(name)
  return results
