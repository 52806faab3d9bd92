"""What programs of residual networks share: they give it their model_fn."""
import numpy as np
import tensorflow as tf


def learning_rate_with_decay(batch_size, boundaries, decay_rates):
  initial = 0.1 * batch_size / 16
  vals = [initial * d for d in decay_rates]

  def fn(global_step):
    return tf.train.piecewise_constant(tf.cast(global_step, tf.int32), boundaries, vals)
  return fn


def run_model_fn(features, labels, mode, model, learning_rate_fn, weight_decay, momentum, loss_filter_fn=None):
  tf.summary.image("images", features, max_outputs=2)
  logits = model(features, mode == tf.estimator.ModeKeys.TRAIN)
  logits = tf.cast(logits, tf.float32)
  predictions = {"classes": tf.argmax(logits, axis=1), "probabilities": tf.nn.softmax(logits, name="softmax_tensor")}
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode=mode, predictions=predictions, export_outputs={
        "predict": tf.estimator.export.PredictOutput(predictions)})
  cross_entropy = tf.losses.sparse_softmax_cross_entropy(logits=logits, labels=labels)
  tf.identity(cross_entropy, name="cross_entropy")
  tf.summary.scalar("cross_entropy", cross_entropy)

  def exclude_batch_norm(name):
    return "batch_normalization" not in name
  loss_filter_fn = loss_filter_fn or exclude_batch_norm
  l2_loss = weight_decay * tf.add_n(
      [tf.nn.l2_loss(tf.cast(v, tf.float32)) for v in tf.trainable_variables() if loss_filter_fn(v.name)])
  tf.summary.scalar("l2_loss", l2_loss)
  loss = cross_entropy + l2_loss
  if mode == tf.estimator.ModeKeys.TRAIN:
    global_step = tf.train.get_or_create_global_step()
    learning_rate = learning_rate_fn(global_step)
    tf.identity(learning_rate, name="learning_rate")
    tf.summary.scalar("learning_rate", learning_rate)
    optimizer = tf.train.MomentumOptimizer(learning_rate=learning_rate, momentum=momentum)
    grad_vars = optimizer.compute_gradients(loss)
    minimize_op = optimizer.apply_gradients(grad_vars, global_step)
    update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    train_op = tf.group(minimize_op, update_ops)
  else:
    train_op = None
  accuracy = tf.metrics.accuracy(labels, predictions["classes"])
  accuracy_top_5 = tf.metrics.mean(tf.nn.in_top_k(predictions=logits, targets=labels, k=2, name="top_5_op"))
  metrics = {"accuracy": accuracy, "accuracy_top_5": accuracy_top_5}
  tf.identity(accuracy[1], name="train_accuracy")
  tf.summary.scalar("train_accuracy", accuracy[1])
  return tf.estimator.EstimatorSpec(mode=mode, predictions=predictions, loss=loss, train_op=train_op, eval_metric_ops=metrics)


def run(directory, model_function, input_function, batch_size):
  session_config = tf.ConfigProto(allow_soft_placement=True, inter_op_parallelism_threads=1)
  run_config = tf.estimator.RunConfig(session_config=session_config, save_checkpoints_secs=60 * 60 * 24)
  classifier = tf.estimator.Estimator(
      model_fn=model_function, model_dir=directory + "/model", config=run_config,
      params={"batch_size": batch_size})
  train_hooks = [tf.train.LoggingTensorHook(["learning_rate", "cross_entropy", "train_accuracy"], every_n_iter=4)]
  with open(directory + "/loss.0", "w") as log:
    for _ in range(2):
      classifier.train(input_fn=lambda: input_function(True, batch_size), hooks=train_hooks, max_steps=20)
      found = classifier.evaluate(input_fn=lambda: input_function(False, batch_size))
      for name in ("accuracy", "accuracy_top_5", "loss"):
        log.write("%d %r\n" % (found["global_step"], float(found[name])))
    for name in sorted(classifier.get_variable_names()):
      if name.endswith(("moving_mean", "moving_variance", "bias")):
        value = classifier.get_variable_value(name)
        log.write("%d %r\n" % (value.size, float(np.abs(value).mean())))
