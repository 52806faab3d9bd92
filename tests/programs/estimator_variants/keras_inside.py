"""Keras's layers in a model_fn, also by names for their module."""

import numpy as np
import tensorflow as tf

layers = tf.keras.layers
K = tf.keras.backend


def drawn(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def look(image, training):
  l = tf.keras.layers
  net = l.Reshape(target_shape=[6, 6, 1])(image)
  net = l.Conv2D(
      3, 3, padding="same", activation=tf.nn.relu, kernel_initializer=drawn(1))(net)
  net = l.MaxPooling2D((2, 2), (2, 2), padding="same")(net)
  net = l.Dense(6, activation=tf.nn.relu, kernel_initializer=drawn(2))(l.Flatten()(net))
  return l.Dropout(0.0)(net, training=training)


def model_fn(features, labels, mode):
  training = mode == tf.estimator.ModeKeys.TRAIN
  seen = look(features["image"], training)
  words = layers.Embedding(20, 6, embeddings_initializer=drawn(3))(features["words"])
  # As TF1 had it by default; Keras 2's has other gates.
  read = layers.GRU(
      4, recurrent_activation="hard_sigmoid", reset_after=False, name="reader",
      kernel_initializer=drawn(4), recurrent_initializer=drawn(5))(words)
  net = K.concatenate([seen, read], axis=-1)
  net = layers.Dense(5, kernel_initializer=drawn(6))(net)
  logits = layers.Dense(3, use_bias=False, kernel_initializer=drawn(7))(tf.nn.tanh(net))
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(
        mode, predictions={"probabilities": tf.nn.softmax(logits)})
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  if mode == tf.estimator.ModeKeys.EVAL:
    accuracy = tf.metrics.accuracy(labels, tf.argmax(logits, 1))
    return tf.estimator.EstimatorSpec(
        mode, loss=loss, eval_metric_ops={"accuracy": accuracy})
  optimizer = tf.train.AdagradOptimizer(0.1)
  train_op = optimizer.minimize(loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
  rng = np.random.RandomState(8)
  features = {
      "image": rng.rand(40, 36).astype(np.float32),
      "words": rng.randint(0, 20, (40, 7)).astype(np.int64),
  }
  labels = rng.randint(0, 3, 40)
  return tf.data.Dataset.from_tensor_slices((features, labels)).batch(8)


def run(directory):
  estimator = tf.estimator.Estimator(model_fn, directory)
  results = {}
  for step in (2, 5):  # The second one goes on from the first one's checkpoint.
    estimator.train(input_fn, max_steps=step)
    found = estimator.evaluate(input_fn)
    results["loss_%d" % step] = found["loss"]
    results["accuracy_%d" % step] = found["accuracy"]
  for name in ("conv2d/kernel", "dense/kernel", "dense_1/bias", "dense_2/kernel",
               "embedding/embeddings", "dense_1/kernel/Adagrad"):
    results[name] = estimator.get_variable_value(name)
  results["probabilities"] = np.stack(
      [row["probabilities"] for row in estimator.predict(input_fn)])
  return results
