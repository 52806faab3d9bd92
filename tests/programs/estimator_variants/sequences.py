"""Recurrent networks in both directions and in layers, on batches of sequences of different length."""

import numpy as np
import tensorflow as tf


def model_fn(features, labels, mode, params):
  ids, length = features["ids"], features["length"]
  emb = tf.get_variable(
    "emb", [10, 4], initializer=tf.random_uniform_initializer(-1, 1, seed=1)
  )
  x = tf.nn.embedding_lookup(emb, ids)
  init = tf.random_uniform_initializer(-0.5, 0.5, seed=2)
  with tf.variable_scope("enc", initializer=init):
    fw = tf.nn.rnn_cell.LSTMCell(4)
    bw = tf.nn.rnn_cell.LSTMCell(4)
    outputs, states = tf.nn.bidirectional_dynamic_rnn(
      fw, bw, x, sequence_length=length, dtype=tf.float32
    )
  enc = tf.concat(outputs, 2)
  with tf.variable_scope("dec", initializer=init):
    cell = tf.nn.rnn_cell.MultiRNNCell(
      [
        tf.nn.rnn_cell.DropoutWrapper(
          tf.nn.rnn_cell.GRUCell(5), output_keep_prob=1.0
        ),
        tf.nn.rnn_cell.BasicLSTMCell(4),
      ]
    )
    dec, _ = tf.nn.dynamic_rnn(cell, enc, sequence_length=length, dtype=tf.float32)
    logits = tf.layers.dense(dec, 10, kernel_initializer=init)
  predictions = {"ids": tf.argmax(logits, -1), "logits": logits}
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=predictions)
  mask = tf.sequence_mask(length, tf.shape(ids)[1], dtype=tf.float32)
  loss = tf.reduce_sum(
    mask
    * tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
  ) / tf.reduce_sum(mask)
  metrics = {
    "acc": tf.metrics.accuracy(labels, predictions["ids"], weights=mask),
    "perplexity": tf.metrics.mean(tf.exp(loss)),
  }
  train_op = None
  if mode == tf.estimator.ModeKeys.TRAIN:
    opt = tf.train.AdamOptimizer(0.01)
    gv = opt.compute_gradients(loss)
    g, _ = tf.clip_by_global_norm([a for a, _ in gv], 5.0)
    train_op = opt.apply_gradients(
      zip(g, [v for _, v in gv]), tf.train.get_global_step()
    )
  return tf.estimator.EstimatorSpec(
    mode,
    loss=loss,
    train_op=train_op,
    eval_metric_ops=metrics,
    predictions=predictions,
  )


def input_fn():
  def gen():
    rng = np.random.RandomState(0)
    for _ in range(24):
      n = rng.randint(2, 6)
      a = rng.randint(0, 10, n)
      yield {"ids": a, "length": n}, a[::-1]

  ds = tf.data.Dataset.from_generator(
    gen,
    ({"ids": tf.int64, "length": tf.int32}, tf.int64),
    ({"ids": [None], "length": []}, [None]),
  )
  return ds.padded_batch(4, ({"ids": [None], "length": []}, [None]))


def run(directory):
  est = tf.estimator.Estimator(model_fn, directory, params={"contrib": CONTRIB})
  est.train(input_fn, steps=6)
  est.train(input_fn, steps=6)
  r = dict(est.evaluate(input_fn))
  r["p"] = np.concatenate(
    [p["ids"].ravel() for p in est.predict(input_fn, yield_single_examples=True)]
  )
  for n in est.get_variable_names():
    r["v/" + n] = est.get_variable_value(n)
  return r


CONTRIB = False
