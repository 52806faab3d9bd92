"""Images with records of fixed length, distorted; fields of an object; a helper that batches in branches."""
import os
import sys

import numpy as np
import tensorflow as tf

NUM_EXAMPLES_PER_EPOCH = 30


def read_record(filename_queue):
  class Record(object):
    pass
  result = Record()
  label_bytes = 1
  result.height = 6
  result.width = 6
  result.depth = 2
  image_bytes = result.height * result.width * result.depth
  # Every record consists of a label followed by the image.
  record_bytes = label_bytes + image_bytes
  reader = tf.FixedLengthRecordReader(record_bytes=record_bytes, header_bytes=4)
  result.key, value = reader.read(filename_queue)
  # Convert from a string to a vector of uint8 that is record_bytes long.
  record = tf.decode_raw(value, tf.uint8)
  # The first bytes represent the label, which we convert from uint8->int32.
  result.label = tf.cast(tf.strided_slice(record, [0], [label_bytes]), tf.int32)
  depth_major = tf.reshape(
      tf.strided_slice(record, [label_bytes], [label_bytes + image_bytes]),
      [result.depth, result.height, result.width])
  # Convert from [depth, height, width] to [height, width, depth].
  result.uint8image = tf.transpose(depth_major, [1, 2, 0])
  return result


def _generate_image_and_label_batch(image, label, min_queue_examples, batch_size, shuffle):
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
  return images, tf.reshape(label_batch, [batch_size])


def distorted_inputs(data_dir, batch_size):
  filenames = [os.path.join(data_dir, 'data_batch_%d.bin' % i) for i in range(1, 4)]
  for f in filenames:
    if not tf.gfile.Exists(f):
      raise ValueError('Failed to find file: ' + f)

  # Create a queue that produces the filenames to read.
  filename_queue = tf.train.string_input_producer(filenames, seed=11)

  with tf.name_scope('data_augmentation'):
    # Read examples from files in the filename queue.
    read_input = read_record(filename_queue)
    reshaped_image = tf.cast(read_input.uint8image, tf.float32)

    height = 4
    width = 4

    # Randomly crop a [height, width] section of the image.
    distorted_image = tf.random_crop(reshaped_image, [height, width, 2], seed=7)
    # Randomly flip the image horizontally.
    distorted_image = tf.image.random_flip_left_right(distorted_image, seed=8)
    # Subtract off the mean and divide by the variance of the pixels.
    float_image = tf.image.per_image_standardization(distorted_image)
    # Set the shapes of tensors.
    float_image.set_shape([height, width, 2])
    read_input.label.set_shape([1])

    min_fraction_of_examples_in_queue = 0.4
    min_queue_examples = int(NUM_EXAMPLES_PER_EPOCH * min_fraction_of_examples_in_queue)
    print('Filling queue with %d images before starting to train.' % min_queue_examples)

  return _generate_image_and_label_batch(float_image, read_input.label,
                                         min_queue_examples, batch_size,
                                         shuffle=False)


def loss_of(logits, labels):
  labels = tf.cast(labels, tf.int64)
  cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(
      labels=labels, logits=logits, name='cross_entropy_per_example')
  return tf.reduce_mean(cross_entropy, name='cross_entropy')


def train(data_dir):
  with tf.Graph().as_default():
    global_step = tf.train.get_or_create_global_step()
    with tf.device('/cpu:0'):
      images, labels = distorted_inputs(data_dir, 8)
    flat = tf.reshape(images, [8, -1])
    logits = tf.layers.dense(flat, 4, kernel_initializer=tf.zeros_initializer())
    loss = loss_of(logits, labels)
    train_op = tf.train.GradientDescentOptimizer(0.05).minimize(loss, global_step=global_step)
    log = open(os.path.join(data_dir, 'loss.0'), 'w')

    class _LoggerHook(object):
      pass

    with tf.train.MonitoredTrainingSession(
        hooks=[tf.train.StopAtStepHook(last_step=25)]) as mon_sess:
      step = 0
      while not mon_sess.should_stop():
        _, value = mon_sess.run([train_op, loss])
        log.write('%d %r\n' % (step, float(value)))
        step += 1
    log.close()


def main(argv=None):
  data_dir = sys.argv[1].split('=')[1]
  rng = np.random.RandomState(5)
  for i in range(1, 4):
    with open(os.path.join(data_dir, 'data_batch_%d.bin' % i), 'wb') as f:
      f.write(b'HEAD')
      for _ in range(NUM_EXAMPLES_PER_EPOCH // 3):
        f.write(bytes(bytearray([rng.randint(4)])) + rng.randint(0, 256, 72).astype(np.uint8).tobytes())
  train(data_dir)


if __name__ == '__main__':
  main()
