"""Logistic regression on records that queue runners read from files, or take of arrays.

  python tf1.py --source=records     TFRecords of tf.train.Example
  python tf1.py --source=lines       lines of comma-separated values, with a header
  python tf1.py --source=fixed       records of fixed length
  python tf1.py --source=slices      slices of arrays
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import os
import tempfile

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("source", "records", "One of records, lines, fixed and slices")
flags.DEFINE_string("trace", None, "Prefix of the file that gets each step's loss")
flags.DEFINE_string("dtype", "float32", "float32 or float64")
flags.DEFINE_integer("train_steps", 200, "Number of training steps, at most")
flags.DEFINE_integer("batch_size", 7, "Training batch size")
flags.DEFINE_integer("num_epochs", 17, "How often every record is read")
flags.DEFINE_integer("seed", 3, "Seed of the order of the files, or slices, of an epoch")

FLAGS = flags.FLAGS

FILES = 4
ROWS = 11
SIZE = 6


def make_rows():
  """Rows of small integers, which every format keeps exactly, and their labels."""
  rng = np.random.RandomState(0)
  x = rng.randint(0, 100, [FILES * ROWS, SIZE]).astype(np.uint8)
  y = (x.sum(axis=1) > 50 * SIZE).astype(np.uint8)
  return x, y


def write_files(directory):
  """Writes the rows in every format, in files `part-<i>.<source>`."""
  x, y = make_rows()
  for part in range(FILES):
    rows = range(part * ROWS, (part + 1) * ROWS)
    path = os.path.join(directory, "part-%d." % part)
    with tf.python_io.TFRecordWriter(path + "records") as writer:
      for i in rows:
        example = tf.train.Example(features=tf.train.Features(feature={
            "x": tf.train.Feature(bytes_list=tf.train.BytesList(value=[x[i].tobytes()])),
            "y": tf.train.Feature(int64_list=tf.train.Int64List(value=[y[i]])),
        }))
        writer.write(example.SerializeToString())
    with open(path + "lines", "w") as f:
      f.write("a,b,c,d,e,f,label\n")
      for i in rows:
        f.write(",".join(str(v) for v in x[i]) + (",yes\n" if y[i] else ",no\n"))
    with open(path + "fixed", "wb") as f:
      f.write(b"FIXED")
      for i in rows:
        f.write(y[i].tobytes() + x[i].tobytes())


def file_queue(directory):
  names = [os.path.join(directory, "part-%d.%s" % (part, FLAGS.source))
           for part in range(FILES)]
  return tf.train.string_input_producer(
      names, num_epochs=FLAGS.num_epochs, seed=FLAGS.seed)


def scaled(pixels, dtype):
  pixels.set_shape([SIZE])
  return tf.cast(pixels, dtype) / 64 - 1


def read_records(queue, dtype):
  reader = tf.TFRecordReader()
  _, serialized = reader.read(queue)
  features = tf.parse_single_example(
      serialized,
      features={
          "x": tf.FixedLenFeature([], tf.string),
          "y": tf.FixedLenFeature([], tf.int64),
      })
  return scaled(tf.decode_raw(features["x"], tf.uint8), dtype), tf.cast(features["y"], dtype)


def read_lines(queue, dtype):
  reader = tf.TextLineReader(skip_header_lines=1)
  _, line = reader.read(queue)
  columns = tf.decode_csv(line, record_defaults=[[0]] * SIZE + [["no"]])
  return scaled(tf.stack(columns[:SIZE]), dtype), tf.cast(tf.equal(columns[SIZE], "yes"), dtype)


def read_fixed(queue, dtype):
  reader = tf.FixedLengthRecordReader(record_bytes=1 + SIZE, header_bytes=5)
  _, value = reader.read(queue)
  record = tf.decode_raw(value, tf.uint8)
  label = tf.reshape(tf.slice(record, [0], [1]), [])
  return scaled(tf.slice(record, [1], [SIZE]), dtype), tf.cast(label, dtype)


def batches_of_records(directory, dtype):
  with tf.name_scope("input"):
    x, y = read_records(file_queue(directory), dtype)
    return tf.train.batch([x, y], batch_size=FLAGS.batch_size, capacity=100,
                          allow_smaller_final_batch=True)


def batches_of_lines(directory, dtype):
  x, y = read_lines(file_queue(directory), dtype)
  return tf.train.batch([x, y], batch_size=FLAGS.batch_size, capacity=100)


def batches_of_fixed(directory, dtype):
  # One label of ten is wrong, drawn anew whenever its record is read.
  x, y = read_fixed(file_queue(directory), dtype)
  noise = tf.random_uniform([], seed=5)
  y = tf.where(noise < 0.1, 1 - y, y)
  return tf.train.batch([x, y], batch_size=FLAGS.batch_size)


def batches_of_slices(dtype):
  pixels, labels = make_rows()
  pixel, label = tf.train.slice_input_producer(
      [pixels, labels], num_epochs=FLAGS.num_epochs, seed=FLAGS.seed)
  x = scaled(pixel, dtype)
  y = tf.cast(label, dtype)
  return tf.train.batch([x, y], batch_size=FLAGS.batch_size,
                        allow_smaller_final_batch=True)


def main(unused_argv):
  directory = tempfile.mkdtemp()
  write_files(directory)
  dtype = tf.as_dtype(FLAGS.dtype)

  with tf.Graph().as_default():
    if FLAGS.source == "records":
      x, y = batches_of_records(directory, dtype)
    elif FLAGS.source == "lines":
      x, y = batches_of_lines(directory, dtype)
    elif FLAGS.source == "fixed":
      x, y = batches_of_fixed(directory, dtype)
    else:
      x, y = batches_of_slices(dtype)

    w = tf.Variable(tf.zeros([SIZE, 1], dtype), name="w")
    b = tf.Variable(tf.zeros([1], dtype), name="b")
    logits = tf.squeeze(tf.matmul(x, w) + b, axis=1)
    loss = tf.reduce_mean(tf.square(logits - y))
    train_op = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss)
    init_op = tf.group(tf.global_variables_initializer(),
                       tf.local_variables_initializer())

    trace = {"loss": [], "rows": [], "sum": []}
    with tf.Session() as sess:
      sess.run(init_op)
      # The threads that read, until the coordinator asks them to stop.
      coord = tf.train.Coordinator()
      threads = tf.train.start_queue_runners(sess=sess, coord=coord)
      try:
        step = 0
        while not coord.should_stop() and step < FLAGS.train_steps:
          _, loss_value, rows, labels = sess.run([train_op, loss, x, y])
          trace["loss"].append(loss_value)
          # Of the first rows alone: the last batch of all may be smaller.
          trace["rows"].append(rows[:2])
          trace["sum"].append(float(rows.sum()) + 100 * len(rows) + float(labels.sum()))
          step += 1
      except tf.errors.OutOfRangeError:
        print("%d epochs, %d steps" % (FLAGS.num_epochs, step))
      finally:
        coord.request_stop()
      coord.join(threads)
      final = sess.run([w, b])

  if FLAGS.trace:
    np.savez(FLAGS.trace + ".0.npz", w=[final[0]], b=[final[1]], **trace)


if __name__ == "__main__":
  tf.app.run()
