"""Towers of layers whose summaries are merged, and whose losses are added up."""
import re
import sys
import zlib

import numpy as np
import tensorflow as tf

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")

NUM_GPUS = 3
BATCH_SIZE = 6


def assign_to_device(device, ps_device="/cpu:0"):
  """Variables on one device, all other operations on another."""
  def _assign(op):
    node_def = op if isinstance(op, tf.NodeDef) else op.node_def
    if node_def.op in ("Variable", "VariableV2", "AutoReloadVariable"):
      return ps_device
    return device
  return _assign


def network(x, reuse=None):
  with tf.variable_scope("network", reuse=reuse):
    h = tf.layers.dense(x, 7, tf.tanh, name="hidden",
                        kernel_initializer=tf.truncated_normal_initializer(stddev=.4, seed=3))
    return tf.layers.dense(h, 2, name="out",
                           kernel_initializer=tf.truncated_normal_initializer(stddev=.4, seed=5))


def mean_of_towers(all_grads):
  averaged = []
  for pairs in zip(*all_grads):
    gradients = [g for g, _ in pairs if g is not None]
    averaged.append((tf.add_n(gradients) / len(gradients), pairs[0][1]))
  return averaged


with tf.Graph().as_default(), tf.device("/cpu:0"):
  x = tf.placeholder(tf.float32, [None, 5], name="x")
  y = tf.placeholder(tf.float32, [None, 2], name="y")
  xs = tf.split(x, num_or_size_splits=NUM_GPUS, axis=0)
  ys = tf.split(y, num_or_size_splits=NUM_GPUS, axis=0)
  learning_rate = tf.placeholder(tf.float32, [], name="rate")
  optimizer = tf.train.RMSPropOptimizer(learning_rate)
  all_grads, total = [], 0.0
  for i, (tower_x, tower_y) in enumerate(zip(xs, ys)):
    with tf.device(assign_to_device("/gpu:{}".format(i), ps_device="/cpu:0")):
      with tf.name_scope("tower{}".format(i)):
        outputs = network(tower_x, reuse=(i > 0))
        loss = tf.reduce_mean(tf.square(outputs - tower_y))
        tf.summary.scalar("loss", loss)
        tf.summary.histogram("outputs", outputs)
        total += loss
        all_grads.append(optimizer.compute_gradients(loss))
  grads = mean_of_towers(all_grads)
  train_op = optimizer.apply_gradients(grads)
  mean = total / NUM_GPUS
  tf.summary.scalar("mean", mean)
  merged = tf.summary.merge_all()
  init = tf.global_variables_initializer()

  rng = np.random.RandomState(3)
  with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(init)
    for step in range(7):
      batch = rng.rand(NUM_GPUS * BATCH_SIZE, 5)
      feed = {x: batch, y: batch[:, :2] - batch[:, 2:4], learning_rate: 0.01 / (1 + step)}
      _, mean_loss, summary = sess.run([train_op, mean, merged], feed_dict=feed)
      log.write("%d %r\n" % (step, float(mean_loss)))
      values = tf.Summary.FromString(summary).value
      for value in sorted(values, key=lambda v: v.tag):
        shown = value.histo.sum if value.HasField("histo") else value.simple_value
        # A tag that an operation had taken is numbered; which, is no matter here.
        tag = re.sub("_[0-9]$", "", value.tag).encode()
        log.write("%d %r\n" % (100 + zlib.crc32(tag) % 100000, shown))
log.close()
