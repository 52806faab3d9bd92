"""Sessions beside an Estimator that run a graph which they load: its exported model, a frozen graph."""

import os
import sys

import numpy as np
import tensorflow as tf

XS = np.arange(24, dtype=np.float32).reshape(8, 3) / 8


def model_fn(features, labels, mode):
  y = tf.layers.dense(features["x"], 1, kernel_initializer=tf.ones_initializer(), name="d")
  if mode == tf.estimator.ModeKeys.PREDICT:
    outputs = tf.estimator.export.PredictOutput({"y": y})
    return tf.estimator.EstimatorSpec(
      mode, predictions={"y": y}, export_outputs={"serving_default": outputs}
    )
  loss = tf.losses.mean_squared_error(labels, y)
  train_op = tf.train.GradientDescentOptimizer(0.01).minimize(
    loss, tf.train.get_global_step()
  )
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
  return tf.data.Dataset.from_tensor_slices(({"x": XS}, XS[:, :1] * 2)).repeat().batch(4)


def serving_fn():
  x = tf.placeholder(tf.float32, [None, 3], name="x")
  return tf.estimator.export.ServingInputReceiver({"x": x}, {"x": x})


def served(directory, r):
  with tf.Session(graph=tf.Graph()) as sess:
    meta = tf.saved_model.loader.load(
      sess, [tf.saved_model.tag_constants.SERVING], directory
    )
    signature = meta.signature_def[
      tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    ]
    x, y = signature.inputs["x"].name, signature.outputs["y"].name
    r["served"] = sess.run(y, feed_dict={x: XS})
    # By the graph, too.
    graph = tf.get_default_graph()
    r["one"] = sess.run(graph.get_tensor_by_name(y), {graph.get_tensor_by_name(x): XS[:1]})


def frozen(r):
  graph = tf.Graph()
  with graph.as_default():
    with tf.Session(graph=graph, config=tf.ConfigProto(allow_soft_placement=True)) as sess:
      definition = tf.GraphDef()
      node = definition.node.add()
      node.name, node.op = "x", "Placeholder"
      node.attr["dtype"].type = 1
      node = definition.node.add()
      node.name, node.op = "twice", "Add"
      node.input.extend(["x", "x"])
      node.attr["T"].type = 1
      twice, = tf.import_graph_def(definition, return_elements=["twice:0"], name="")
      r["twice"] = sess.run(twice, {"x:0": XS[0]})


def kernels(directory, r):
  reader = tf.train.NewCheckpointReader(tf.train.latest_checkpoint(directory))
  r["kernel"] = reader.get_tensor("d/kernel")


def run(directory):
  r = {}
  estimator = tf.estimator.Estimator(model_fn, directory)
  estimator.train(input_fn, steps=5)
  path = estimator.export_savedmodel(os.path.join(directory, "export"), serving_fn)
  served(path, r)
  frozen(r)
  kernels(directory, r)
  return r


if __name__ == "__main__":
  results = run(os.path.join(sys.argv[1], "model"))
  np.savez(os.path.join(sys.argv[1], "found.npz"), **results)
