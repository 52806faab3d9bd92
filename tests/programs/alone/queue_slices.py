"""Slices of arrays, each epoch in the order that a seed draws; a dict of tensors in a batch."""
import os
import sys

import numpy as np
import tensorflow as tf


class Data(object):
  def __init__(self):
    rng = np.random.RandomState(3)
    self.points = rng.randn(17, 4).astype(np.float32)
    self.targets = self.points.dot([[1.], [-2.], [3.], [.5]]).astype(np.float32)


def get_batch_data(data, batch_size):
  # Create queues
  input_queues = tf.train.slice_input_producer(
      [tf.convert_to_tensor(data.points), data.targets], num_epochs=5, seed=42)
  point = input_queues[0] * 0.5
  target = input_queues[1]
  noise = tf.random_normal([4], stddev=0.01, seed=5)
  batch = tf.train.batch({"point": point + noise, "target": target},
                         batch_size=batch_size)
  return batch["point"], batch["target"]


def main(directory):
  points, targets = get_batch_data(Data(), 4)
  hidden = tf.layers.dense(points, 5, tf.tanh, kernel_initializer=tf.glorot_uniform_initializer(seed=2))
  prediction = tf.layers.dense(hidden, 1, kernel_initializer=tf.glorot_uniform_initializer(seed=3))
  loss = tf.losses.mean_squared_error(targets, prediction)
  global_step = tf.train.get_or_create_global_step()
  train_op = tf.train.AdamOptimizer(0.01).minimize(loss, global_step=global_step)
  saver = tf.train.Saver()
  with tf.train.MonitoredTrainingSession(checkpoint_dir=os.path.join(directory, "model")) as sess:
    with open(os.path.join(directory, "loss.0"), "w") as log:
      while not sess.should_stop():
        step, value, _ = sess.run([global_step, loss, train_op])
        log.write("%d %r\n" % (step, float(value)))


if __name__ == "__main__":
  main(sys.argv[1].split("=")[1])
