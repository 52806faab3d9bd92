"""TensorFlow's official example: a tf.keras.Sequential in a model_fn, exported."""

import os

import numpy as np
import tensorflow as tf

LEARNING_RATE = 1e-3


def drawn(seed):
  return tf.random_uniform_initializer(-0.2, 0.2, seed=seed)


def create_model(data_format):
  """Model to recognize digits."""
  if data_format == 'channels_first':
    input_shape = [1, 8, 8]
  else:
    assert data_format == 'channels_last'
    input_shape = [8, 8, 1]

  l = tf.keras.layers
  max_pool = l.MaxPooling2D(
      (2, 2), (2, 2), padding='same', data_format=data_format)
  # The model consists of a sequential chain of layers.
  return tf.keras.Sequential(
      [
          l.Reshape(
              target_shape=input_shape,
              input_shape=(8 * 8,)),
          l.Conv2D(
              4,
              5,
              padding='same',
              data_format=data_format,
              activation=tf.nn.relu,
              kernel_initializer=drawn(1)),
          max_pool,
          l.Conv2D(
              8,
              5,
              padding='same',
              data_format=data_format,
              activation=tf.nn.relu,
              kernel_initializer=drawn(2)),
          max_pool,
          l.Flatten(),
          l.Dense(16, activation=tf.nn.relu, kernel_initializer=drawn(3)),
          l.Dropout(0.0),
          l.Dense(10, kernel_initializer=drawn(4))
      ])


def model_fn(features, labels, mode, params):
  """The model_fn argument for creating an Estimator."""
  model = create_model(params['data_format'])
  image = features
  if isinstance(image, dict):
    image = features['image']

  if mode == tf.estimator.ModeKeys.PREDICT:
    logits = model(image, training=False)
    predictions = {
        'classes': tf.argmax(logits, axis=1),
        'probabilities': tf.nn.softmax(logits),
    }
    return tf.estimator.EstimatorSpec(
        mode=tf.estimator.ModeKeys.PREDICT,
        predictions=predictions,
        export_outputs={
            'classify': tf.estimator.export.PredictOutput(predictions)
        })
  if mode == tf.estimator.ModeKeys.TRAIN:
    optimizer = tf.train.AdamOptimizer(learning_rate=LEARNING_RATE)

    logits = model(image, training=True)
    loss = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
    accuracy = tf.metrics.accuracy(
        labels=labels, predictions=tf.argmax(logits, axis=1))

    # Name tensors to be logged with LoggingTensorHook.
    tf.identity(LEARNING_RATE, 'learning_rate')
    tf.identity(loss, 'cross_entropy')
    tf.identity(accuracy[1], name='train_accuracy')

    # Save accuracy scalar to Tensorboard output.
    tf.summary.scalar('train_accuracy', accuracy[1])

    return tf.estimator.EstimatorSpec(
        mode=tf.estimator.ModeKeys.TRAIN,
        loss=loss,
        train_op=optimizer.minimize(loss, tf.train.get_or_create_global_step()))
  if mode == tf.estimator.ModeKeys.EVAL:
    logits = model(image, training=False)
    loss = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
    return tf.estimator.EstimatorSpec(
        mode=tf.estimator.ModeKeys.EVAL,
        loss=loss,
        eval_metric_ops={
            'accuracy':
                tf.metrics.accuracy(
                    labels=labels,
                    predictions=tf.argmax(logits, axis=1)),
        })


class Kept(tf.train.SessionRunHook):
  """Keeps what the model_fn named."""

  def __init__(self, kept):
    self._kept = kept

  def before_run(self, run_context):
    return tf.train.SessionRunArgs(["cross_entropy:0", "train_accuracy:0"])

  def after_run(self, run_context, run_values):
    self._kept.append(run_values.results)


IMAGES = np.random.RandomState(3).rand(60, 64).astype(np.float32)
LABELS = np.random.RandomState(4).randint(10, size=60).astype(np.int32)


def run(directory):
  mnist_classifier = tf.estimator.Estimator(
      model_fn=model_fn,
      model_dir=directory,
      params={
          'data_format': 'channels_last',
      })

  def train_input_fn():
    ds = tf.data.Dataset.from_tensor_slices((IMAGES, LABELS))
    ds = ds.cache().batch(20)
    return ds.repeat(2)

  def eval_input_fn():
    ds = tf.data.Dataset.from_tensor_slices((IMAGES, LABELS))
    return ds.batch(30).make_one_shot_iterator().get_next()

  results, steps = {}, []
  for epoch in range(2):
    mnist_classifier.train(input_fn=train_input_fn, hooks=[Kept(steps)])
    eval_results = mnist_classifier.evaluate(input_fn=eval_input_fn)
    print('\nEvaluation results:\n\t%s\n' % eval_results)
    results["loss_%d" % epoch] = eval_results["loss"]
    results["accuracy_%d" % epoch] = eval_results["accuracy"]
  results["steps"] = np.array(steps)

  image = tf.placeholder(tf.float32, [None, 64])
  input_fn = tf.estimator.export.build_raw_serving_input_receiver_fn({
      'image': image,
  })
  exported = mnist_classifier.export_savedmodel(
      os.path.join(directory, "export"), input_fn)
  answer = tf.contrib.predictor.from_saved_model(exported)({"image": IMAGES[:7]})
  results["answer"] = answer["probabilities"]
  for name, _ in tf.train.list_variables(directory):
    results[name] = mnist_classifier.get_variable_value(name)
  return results
