"""Texts: bags of words, a recurrent and a convolutional network behind one function for the EstimatorSpec."""

import numpy as np
import tensorflow as tf

n_words = 20
MAX_LABEL = 4
WORDS_FEATURE = "words"


def estimator_spec_for_softmax_classification(logits, labels, mode):
  predicted_classes = tf.argmax(logits, 1)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(
      mode=mode,
      predictions={"class": predicted_classes, "prob": tf.nn.softmax(logits)},
    )
  onehot_labels = tf.one_hot(labels, MAX_LABEL, 1, 0)
  loss = tf.losses.softmax_cross_entropy(onehot_labels=onehot_labels, logits=logits)
  if mode == tf.estimator.ModeKeys.TRAIN:
    optimizer = tf.train.AdamOptimizer(learning_rate=0.01)
    train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
  eval_metric_ops = {
    "accuracy": tf.metrics.accuracy(labels=labels, predictions=predicted_classes)
  }
  return tf.estimator.EstimatorSpec(
    mode=mode, loss=loss, eval_metric_ops=eval_metric_ops
  )


def bag_of_words_model(features, labels, mode):
  bow_column = tf.feature_column.categorical_column_with_identity(
    WORDS_FEATURE, num_buckets=n_words
  )
  bow_embedding_column = tf.feature_column.embedding_column(
    bow_column,
    dimension=5,
    initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=1),
  )
  bow = tf.feature_column.input_layer(
    features, feature_columns=[bow_embedding_column]
  )
  logits = tf.layers.dense(
    bow,
    MAX_LABEL,
    activation=None,
    kernel_initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=1),
  )
  return estimator_spec_for_softmax_classification(
    logits=logits, labels=labels, mode=mode
  )


def rnn_model(features, labels, mode):
  word_vectors = tf.contrib.layers.embed_sequence(
    features[WORDS_FEATURE],
    vocab_size=n_words,
    embed_dim=5,
    initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=1),
  )
  word_list = tf.unstack(word_vectors, axis=1)
  cell = tf.nn.rnn_cell.GRUCell(
    5, kernel_initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=2)
  )
  _, encoding = tf.nn.static_rnn(cell, word_list, dtype=tf.float32)
  logits = tf.layers.dense(
    encoding,
    MAX_LABEL,
    activation=None,
    kernel_initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=1),
  )
  return estimator_spec_for_softmax_classification(
    logits=logits, labels=labels, mode=mode
  )


def cnn_model(features, labels, mode):
  word_vectors = tf.nn.embedding_lookup(
    tf.get_variable(
      "e",
      [n_words, 5],
      initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=1),
    ),
    features[WORDS_FEATURE],
  )
  x = tf.expand_dims(word_vectors, 3)
  with tf.variable_scope("CNN_Layer1"):
    conv1 = tf.layers.conv2d(
      x,
      filters=3,
      kernel_size=[2, 5],
      padding="VALID",
      activation=tf.nn.relu,
      kernel_initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=1),
    )
    pool1 = tf.layers.max_pooling2d(
      conv1, pool_size=[2, 1], strides=2, padding="SAME"
    )
    pool1 = tf.transpose(pool1, [0, 1, 3, 2])
  with tf.variable_scope("CNN_Layer2"):
    conv2 = tf.layers.conv2d(
      pool1,
      filters=3,
      kernel_size=[2, 3],
      padding="VALID",
      kernel_initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=1),
    )
    pool2 = tf.squeeze(tf.reduce_max(conv2, 1), squeeze_dims=[1])
  logits = tf.layers.dense(
    pool2,
    MAX_LABEL,
    activation=None,
    kernel_initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=1),
  )
  return estimator_spec_for_softmax_classification(
    logits=logits, labels=labels, mode=mode
  )


def run(directory):
  rng = np.random.RandomState(0)
  x = rng.randint(1, n_words, [40, 6])
  y = x[:, 0] % MAX_LABEL
  r = {}
  for name, fn in (
    ("bow", bag_of_words_model),
    ("rnn", rnn_model),
    ("cnn", cnn_model),
  ):
    classifier = tf.estimator.Estimator(
      model_fn=fn, model_dir=directory + "/" + name
    )
    train_input_fn = tf.estimator.inputs.numpy_input_fn(
      x={WORDS_FEATURE: x}, y=y, batch_size=10, num_epochs=None, shuffle=False
    )
    classifier.train(input_fn=train_input_fn, steps=9)
    test_input_fn = tf.estimator.inputs.numpy_input_fn(
      x={WORDS_FEATURE: x}, y=y, num_epochs=1, shuffle=False
    )
    predictions = classifier.predict(input_fn=test_input_fn)
    y_predicted = np.array(list(p["class"] for p in predictions)).reshape(y.shape)
    scores = classifier.evaluate(input_fn=test_input_fn)
    r[name] = scores["accuracy"], scores["loss"]
    r[name + "/p"] = y_predicted
    for n in classifier.get_variable_names():
      r[name + "/v/" + n] = classifier.get_variable_value(n)
  return r
