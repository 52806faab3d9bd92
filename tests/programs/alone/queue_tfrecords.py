"""TFRecords read in a helper, batched in a second; epochs end in OutOfRangeError."""
import argparse
import os

import numpy as np
import tensorflow as tf

FLAGS = None


def convert(name):
  rng = np.random.RandomState(0)
  with tf.python_io.TFRecordWriter(name) as writer:
    for index in range(47):
      image = rng.randint(0, 256, 12).astype(np.uint8)
      example = tf.train.Example(features=tf.train.Features(feature={
          'height': tf.train.Feature(int64_list=tf.train.Int64List(value=[4])),
          'label': tf.train.Feature(int64_list=tf.train.Int64List(value=[index % 3])),
          'image_raw': tf.train.Feature(
              bytes_list=tf.train.BytesList(value=[image.tobytes()]))}))
      writer.write(example.SerializeToString())


def read_and_decode(filename_queue):
  reader = tf.TFRecordReader()
  _, serialized_example = reader.read(filename_queue)
  features = tf.parse_single_example(
      serialized_example,
      # Defaults are not specified since all keys are required.
      features={
          'image_raw': tf.FixedLenFeature([], tf.string),
          'label': tf.FixedLenFeature([], tf.int64),
      })

  # Convert from a scalar string tensor to a uint8 tensor.
  image = tf.decode_raw(features['image_raw'], tf.uint8)
  image.set_shape([12])
  # Convert from [0, 255] -> [-0.5, 0.5] floats.
  image = tf.cast(image, tf.float32) * (1. / 255) - 0.5
  label = tf.cast(features['label'], tf.int32)
  return image, label


def inputs(train, batch_size, num_epochs):
  """Reads input data num_epochs times."""
  if not num_epochs: num_epochs = None
  filename = os.path.join(FLAGS.dir, 'train.tfrecords' if train else 'test.tfrecords')
  with tf.name_scope('input'):
    filename_queue = tf.train.string_input_producer(
        [filename], num_epochs=num_epochs)

    # Even when reading in multiple threads, share the filename queue.
    image, label = read_and_decode(filename_queue)
    images, sparse_labels = tf.train.batch(
        [image, label], batch_size=batch_size, num_threads=1,
        capacity=1000 + 3 * batch_size)
    return images, sparse_labels


def inference(images):
  with tf.name_scope('linear'):
    weights = tf.Variable(tf.zeros([12, 3]), name='weights')
    biases = tf.Variable(tf.zeros([3]), name='biases')
    return tf.matmul(images, weights) + biases


def run_training():
  with tf.Graph().as_default():
    images, labels = inputs(train=True, batch_size=FLAGS.batch_size,
                            num_epochs=FLAGS.num_epochs)
    logits = inference(images)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=labels, logits=logits))
    train_op = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    init_op = tf.group(tf.global_variables_initializer(),
                       tf.local_variables_initializer())

    sess = tf.Session()
    sess.run(init_op)
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    log = open(os.path.join(FLAGS.dir, 'loss.0'), 'w')
    try:
      step = 0
      while not coord.should_stop():
        _, loss_value = sess.run([train_op, loss])
        log.write('%d %r\n' % (step, float(loss_value)))
        step += 1
    except tf.errors.OutOfRangeError:
      print('Done training for %d epochs, %d steps.' % (FLAGS.num_epochs, step))
    finally:
      # When done, ask the threads to stop.
      coord.request_stop()

    # Wait for threads to finish.
    coord.join(threads)
    sess.close()
    log.close()


def main(_):
  convert(os.path.join(FLAGS.dir, 'train.tfrecords'))
  run_training()


if __name__ == '__main__':
  parser = argparse.ArgumentParser()
  parser.add_argument('--dir', default='.')
  parser.add_argument('--num_epochs', type=int, default=3)
  parser.add_argument('--batch_size', type=int, default=10)
  FLAGS, _ = parser.parse_known_args()
  main(None)
