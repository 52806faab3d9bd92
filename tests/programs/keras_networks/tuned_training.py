"""How networks are trained and judged: what every model function of the tree calls."""

import tensorflow as tf

CLIP = 0.5
METRICS_PREFIX = "of "


def create_optimizer(loss, init_lr, num_train_steps, num_warmup_steps=None):
  """Creates an optimizer and gives its training operation."""
  global_step = tf.train.get_or_create_global_step()

  # Linear decay of the learning rate.
  learning_rate = tf.train.polynomial_decay(
      init_lr, global_step, num_train_steps, end_learning_rate=0.0)
  optimizer = tf.train.AdamOptimizer(learning_rate=learning_rate, beta1=0.8)
  tvars = tf.trainable_variables()
  grads = tf.gradients(loss, tvars)
  # This is how the model was pre-trained.
  (grads, _) = tf.clip_by_global_norm(grads, clip_norm=CLIP)
  return optimizer.apply_gradients(zip(grads, tvars), global_step=global_step)


def get_optimizer(params):
  """Momentum, whose rate falls by and by."""
  step = tf.train.get_global_step()
  rate = tf.train.exponential_decay(params["rate"], step, 5, 0.7, staircase=True)
  return tf.train.MomentumOptimizer(rate, params.get("momentum", 0.9))


def get_metrics(labels, logits):
  predictions = tf.argmax(logits, axis=1)
  weights = tf.where(tf.equal(labels, 0), tf.ones_like(labels), 2 * tf.ones_like(labels))
  return {
      "accuracy": tf.metrics.accuracy(labels, predictions),
      "weighted": tf.metrics.accuracy(labels, predictions, weights),
  }


def get_loss(labels, logits, smoothing):
  """Cross entropy; with smoothed labels."""
  one_hot = tf.one_hot(labels, logits.shape[-1].value)
  return tf.losses.softmax_cross_entropy(one_hot, logits, label_smoothing=smoothing)
