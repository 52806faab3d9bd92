"""Images and labels from two readers; training and validation queues; a class that builds the input."""
import sys

import numpy as np
import tensorflow as tf

DIR = sys.argv[1].split("=")[1]


class Input(object):
  """Reads pairs of files."""

  def __init__(self, kind, batch_size):
    self.kind = kind
    self.batch_size = batch_size
    images, labels = self.read()
    self.images = images
    self.labels = labels

  def read(self):
    image_queue = tf.train.string_input_producer([DIR + "/%s.images" % self.kind])
    label_queue = tf.train.string_input_producer([DIR + "/%s.labels" % self.kind])
    image_reader = tf.FixedLengthRecordReader(8)
    label_reader = tf.FixedLengthRecordReader(1)
    _, image_value = image_reader.read(image_queue)
    _, label_value = label_reader.read(label_queue)
    image = tf.to_float(tf.reshape(tf.decode_raw(image_value, tf.uint8), [8])) / 255.0
    label = tf.to_int32(tf.reshape(tf.decode_raw(label_value, tf.uint8), []))
    return tf.train.batch([image, label], self.batch_size)


def network(images, reuse):
  with tf.variable_scope("net", reuse=reuse):
    w = tf.get_variable("w", [8, 2], initializer=tf.zeros_initializer())
    return tf.matmul(images, w)


def main():
  rng = np.random.RandomState(9)
  for kind, count in (("train", 12), ("valid", 5)):
    images = rng.randint(0, 256, (count, 8)).astype(np.uint8)
    images.tofile(DIR + "/%s.images" % kind)
    (images[:, 0] > 127).astype(np.uint8).tofile(DIR + "/%s.labels" % kind)
  train = Input("train", 4)
  valid = Input("valid", 5)
  loss = tf.losses.sparse_softmax_cross_entropy(train.labels, network(train.images, False))
  valid_loss = tf.losses.sparse_softmax_cross_entropy(valid.labels, network(valid.images, True))
  train_op = tf.train.GradientDescentOptimizer(0.3).minimize(loss)
  with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    with open(DIR + "/loss.0", "w") as log:
      for step in range(12):
        _, value = sess.run([train_op, loss])
        log.write("%d %r\n" % (step, float(value)))
        if step % 4 == 3:
          log.write("%d %r\n" % (step, float(sess.run(valid_loss))))
    coord.request_stop()
    coord.join(threads)


main()
