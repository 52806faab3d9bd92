"""Reads the images of binary files by queues, and batches them."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import os

import tensorflow as tf

# Images are stored larger than they are trained on.
IMAGE_SIZE = 6
NUM_CLASSES = 3
NUM_EXAMPLES_PER_EPOCH_FOR_TRAIN = 60


def read_images(filename_queue):
  """One example: `label`, and `uint8image` of [height, width, depth]."""

  class ImageRecord(object):
    pass
  result = ImageRecord()
  label_bytes = 1
  result.height = 8
  result.width = 8
  result.depth = 1
  image_bytes = result.height * result.width * result.depth
  record_bytes = label_bytes + image_bytes
  reader = tf.FixedLengthRecordReader(record_bytes=record_bytes)
  result.key, value = reader.read(filename_queue)
  # From a string to as many numbers.
  record_bytes = tf.decode_raw(value, tf.uint8)
  result.label = tf.cast(tf.strided_slice(record_bytes, [0], [label_bytes]), tf.int32)
  depth_major = tf.reshape(
      tf.strided_slice(record_bytes, [label_bytes], [label_bytes + image_bytes]),
      [result.depth, result.height, result.width])
  result.uint8image = tf.transpose(depth_major, [1, 2, 0])
  return result


def _generate_batch(image, label, min_queue_examples, batch_size, shuffle):
  num_preprocess_threads = 1
  if shuffle:
    images, label_batch = tf.train.shuffle_batch(
        [image, label],
        batch_size=batch_size,
        num_threads=num_preprocess_threads,
        capacity=min_queue_examples + 3 * batch_size,
        min_after_dequeue=min_queue_examples)
  else:
    images, label_batch = tf.train.batch(
        [image, label],
        batch_size=batch_size,
        num_threads=num_preprocess_threads,
        capacity=min_queue_examples + 3 * batch_size)
  # Show the images that are trained on.
  tf.summary.image('images', images)
  return images, tf.reshape(label_batch, [batch_size])


def training_inputs(data_dir, batch_size):
  """Batches of [batch_size, IMAGE_SIZE, IMAGE_SIZE, 1] images, and their labels."""
  filenames = [os.path.join(data_dir, 'data_batch_%d.bin' % i) for i in range(1, 4)]
  for f in filenames:
    if not tf.gfile.Exists(f):
      raise ValueError('Failed to find file: ' + f)
  filename_queue = tf.train.string_input_producer(filenames, shuffle=False)

  with tf.name_scope('data_augmentation'):
    read_input = read_images(filename_queue)
    reshaped_image = tf.cast(read_input.uint8image, tf.float32)
    height = IMAGE_SIZE
    width = IMAGE_SIZE
    resized_image = tf.image.resize_image_with_crop_or_pad(reshaped_image, height, width)
    float_image = tf.image.per_image_standardization(resized_image)
    float_image.set_shape([height, width, 1])
    read_input.label.set_shape([1])
    min_queue_examples = int(NUM_EXAMPLES_PER_EPOCH_FOR_TRAIN * 0.4)
    print('Filling queue with %d images before starting to train. '
          'This will take no time.' % min_queue_examples)

  return _generate_batch(float_image, read_input.label, min_queue_examples, batch_size,
                         shuffle=False)


def inputs(eval_data, data_dir, batch_size):
  """Of the program that evaluates, which is another one."""
  del eval_data
  return training_inputs(data_dir, batch_size)
