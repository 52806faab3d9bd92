"""Networks by slim: argument scopes of functions, end points, losses, metrics, training operations."""

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim


def network_arg_scope(weight_decay=0.05, is_training=True, use_batch_norm=False):
  params = {"is_training": is_training, "decay": 0.75, "updates_collections": None}
  with slim.arg_scope(
    [slim.conv2d, slim.fully_connected],
    weights_regularizer=slim.l2_regularizer(weight_decay),
    weights_initializer=tf.random_uniform_initializer(-0.4, 0.4, seed=1),
    activation_fn=tf.nn.elu,
  ):
    with slim.arg_scope(
      [slim.conv2d],
      normalizer_fn=slim.batch_norm if use_batch_norm else None,
      normalizer_params=params,
    ) as scope:
      return scope


def block(net, depth, scope):
  with tf.variable_scope(scope, "Block", [net]):
    with tf.variable_scope("Branch_0"):
      branch_0 = slim.conv2d(net, depth, [1, 1], scope="Conv2d_0a_1x1")
    with tf.variable_scope("Branch_1"):
      branch_1 = slim.conv2d(net, depth, [1, 1], scope="Conv2d_0a_1x1")
      branch_1 = slim.conv2d(branch_1, depth, [3, 3], scope="Conv2d_0b_3x3")
    return tf.concat(axis=3, values=[branch_0, branch_1])


def network(images, num_classes, is_training, scope="Net"):
  end_points = {}
  with tf.variable_scope(scope, "Net", [images, num_classes]) as sc:
    end_points_collection = sc.name + "_end_points"
    with slim.arg_scope(
      [slim.conv2d, slim.max_pool2d], outputs_collections=end_points_collection
    ):
      net = slim.repeat(images, 2, slim.conv2d, 3, [3, 3], scope="conv1")
      net = slim.max_pool2d(net, [2, 2], scope="pool1")
    slim.utils.collect_named_outputs(end_points_collection, "pooled", net)
    for index in range(2):
      net = block(net, 2, "Mixed_%d" % index)
    end_points = slim.utils.convert_collection_to_dict(end_points_collection)
    net = slim.flatten(net)
    net = slim.fully_connected(net, 6, scope="fc3")
    net = slim.dropout(net, 1.0, is_training=is_training, scope="dropout3")
    logits = slim.fully_connected(net, num_classes, activation_fn=None, scope="fc4")
  end_points["Logits"] = logits
  end_points["Predictions"] = slim.softmax(logits, scope="Predictions")
  return logits, end_points


def model_fn(features, labels, mode, params):
  is_training = mode == tf.estimator.ModeKeys.TRAIN
  images = tf.reshape(features["x"], [-1, 6, 6, 1])
  with slim.arg_scope(
    network_arg_scope(is_training=is_training, use_batch_norm=params["batch_norm"])
  ):
    logits, end_points = network(images, 3, is_training)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=end_points["Predictions"])
  one_hot = slim.one_hot_encoding(labels, 3)
  slim.losses.softmax_cross_entropy(logits, one_hot, weights=0.5)
  slim.losses.mean_squared_error(end_points["Predictions"], one_hot)
  loss = slim.losses.get_total_loss()
  train_op = None
  metrics = None
  if is_training:
    tf.summary.histogram("conv1", end_points["Net/conv1/conv1_1"])
    optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
    if params["chosen"]:
      chosen = slim.get_trainable_variables("Net/fc") + slim.get_model_variables(
        "Net/Mixed_1", "weights"
      )
      train_op = slim.learning.create_train_op(
        loss, optimizer, variables_to_train=chosen, clip_gradient_norm=0.25
      )
    elif params["changed"]:

      def change(gradients):
        gradients = slim.learning.multiply_gradients(
          gradients, {"Net/fc4/weights": 0.5}
        )
        return tf.contrib.training.clip_gradient_norms(gradients, 0.25)

      train_op = tf.contrib.training.create_train_op(
        loss, optimizer, transform_grads_fn=change
      )
    else:
      train_op = slim.learning.create_train_op(loss, optimizer)
  else:
    classes = tf.argmax(logits, 1)
    first, right = end_points["Predictions"][:, 0], tf.equal(labels, 0)
    shares = tf.cast(right, tf.float32)
    values, updates = slim.metrics.aggregate_metric_map(
      {
        "accuracy": slim.metrics.streaming_accuracy(classes, labels),
        "mean": tf.contrib.metrics.streaming_mean(first),
        "auc": slim.metrics.streaming_auc(first, right, num_thresholds=50),
        "absolute": slim.metrics.streaming_mean_absolute_error(first, shares),
        "squared": slim.metrics.streaming_mean_squared_error(first, shares),
        "root": slim.metrics.streaming_root_mean_squared_error(first, shares),
        "relative": slim.metrics.streaming_mean_relative_error(
          first, shares, normalizer=first + 1.0
        ),
        "iou": slim.metrics.streaming_mean_iou(classes, labels, num_classes=3),
        "precision": slim.metrics.streaming_precision(first > 0.4, right),
        "recall": slim.metrics.streaming_recall(first > 0.4, labels=right),
        "tp": slim.metrics.streaming_true_positives(first > 0.4, right),
        "fp": slim.metrics.streaming_false_positives(first > 0.4, right),
        "tn": slim.metrics.streaming_true_negatives(first > 0.4, right),
        "fn": slim.metrics.streaming_false_negatives(first > 0.4, right),
        "tensor": slim.metrics.streaming_mean_tensor(
          tf.reduce_mean(end_points["Predictions"], 0)
        ),
      }
    )
    pairs = slim.metrics.aggregate_metrics(slim.metrics.streaming_mean(shares))
    metrics = {name: (values[name], updates[name]) for name in values}
    metrics["share"] = (pairs[0][0], pairs[1][0])
  return tf.estimator.EstimatorSpec(
    mode, loss=loss, train_op=train_op, eval_metric_ops=metrics
  )


def input_fn():
  rng = np.random.RandomState(0)
  x = rng.randn(30, 36).astype(np.float32)
  y = np.argmax(x[:, :3], 1).astype(np.int64)
  return tf.data.Dataset.from_tensor_slices(({"x": x}, y)).repeat(2).batch(6)


def run(directory):
  r = {}
  for kind, params in KINDS.items():
    est = tf.estimator.Estimator(model_fn, directory + "/" + kind, params=params)
    est.train(input_fn)
    for key, value in est.evaluate(input_fn).items():
      r[kind + "/" + key] = value
    r[kind + "/predicted"] = np.stack(list(est.predict(input_fn)))
    for n in est.get_variable_names():
      r[kind + "/v/" + n] = est.get_variable_value(n)
  return r


KINDS = {
  "plain": {"batch_norm": False, "chosen": False, "changed": False},
  "normalised": {"batch_norm": True, "chosen": False, "changed": False},
  "chosen": {"batch_norm": True, "chosen": True, "changed": False},
  "changed": {"batch_norm": False, "chosen": False, "changed": True},
}
