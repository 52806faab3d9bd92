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
import plain_session

flags = tf.compat.v1.app.flags
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
    with tf.io.TFRecordWriter(path + "records") as writer:
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


def scaled(pixels, dtype):
  pixels.set_shape([SIZE])
  return tf.cast(pixels, dtype) / 64 - 1


def main(unused_argv):
  directory = tempfile.mkdtemp()
  write_files(directory)
  dtype = tf.as_dtype(FLAGS.dtype)
  if FLAGS.source == "records":
    # From file_queue:
    names = [os.path.join(directory, "part-%d.%s" % (part, FLAGS.source))
             for part in range(FILES)]
    epochs = tf.data.Dataset.from_tensors(names).repeat(FLAGS.num_epochs)
    queue = epochs.map(lambda rows: tf.random.shuffle(rows, seed=FLAGS.seed)).flat_map(tf.data.Dataset.from_tensor_slices)

    records = queue.flat_map(tf.data.TFRecordDataset)

    def make_record(serialized):
      features = tf.io.parse_single_example(
          serialized,
          features={
              "x": tf.io.FixedLenFeature([], tf.string),
              "y": tf.io.FixedLenFeature([], tf.int64),
          })
      batches_of_records_x, batches_of_records_y = scaled(tf.io.decode_raw(features["x"], tf.uint8), dtype), tf.cast(features["y"], dtype)
      return batches_of_records_x, batches_of_records_y

    batches = records.map(make_record).batch(FLAGS.batch_size)
    dataset = batches

  elif FLAGS.source == "lines":
    # From file_queue:
    batches_of_lines_names = [os.path.join(directory, "part-%d.%s" % (part, FLAGS.source))
                              for part in range(FILES)]
    epochs_2 = tf.data.Dataset.from_tensors(batches_of_lines_names).repeat(FLAGS.num_epochs)
    batches_of_lines_queue = epochs_2.map(lambda rows: tf.random.shuffle(rows, seed=FLAGS.seed)).flat_map(tf.data.Dataset.from_tensor_slices)

    records_2 = batches_of_lines_queue.flat_map(lambda name: tf.data.TextLineDataset(name).skip(1))

    def make_record_2(line):
      columns = tf.io.decode_csv(line, record_defaults=[[0]] * SIZE + [["no"]])
      batches_of_lines_x, batches_of_lines_y = scaled(tf.stack(columns[:SIZE]), dtype), tf.cast(tf.equal(columns[SIZE], "yes"), dtype)
      return batches_of_lines_x, batches_of_lines_y

    batches_2 = records_2.map(make_record_2).batch(FLAGS.batch_size, drop_remainder=True)
    dataset = batches_2
  elif FLAGS.source == "fixed":
    # From batches_of_fixed:
    # One label of ten is wrong, drawn anew whenever its record is read.
    # From file_queue:
    batches_of_fixed_names = [os.path.join(directory, "part-%d.%s" % (part, FLAGS.source))
                              for part in range(FILES)]
    epochs_3 = tf.data.Dataset.from_tensors(batches_of_fixed_names).repeat(FLAGS.num_epochs)
    batches_of_fixed_queue = epochs_3.map(lambda rows: tf.random.shuffle(rows, seed=FLAGS.seed)).flat_map(tf.data.Dataset.from_tensor_slices)

    records_3 = batches_of_fixed_queue.flat_map(lambda name: tf.data.FixedLengthRecordDataset(name, record_bytes=1 + SIZE, header_bytes=5))

    def make_record_3(value):
      record = tf.io.decode_raw(value, tf.uint8)
      label = tf.reshape(tf.slice(record, [0], [1]), [])
      batches_of_fixed_x, batches_of_fixed_y = scaled(tf.slice(record, [1], [SIZE]), dtype), tf.cast(label, dtype)
      noise = tf.random.uniform([], seed=5)
      batches_of_fixed_y = tf.compat.v1.where(noise < 0.1, 1 - batches_of_fixed_y, batches_of_fixed_y)
      return batches_of_fixed_x, batches_of_fixed_y

    batches_3 = records_3.map(make_record_3).batch(FLAGS.batch_size, drop_remainder=True)
    dataset = batches_3
  else:
    # From batches_of_slices:
    pixels, batches_of_slices_labels = make_rows()
    epochs_4 = tf.data.Dataset.from_tensors(tf.range(tf.shape(pixels)[0])).repeat(FLAGS.num_epochs)
    rows_2 = epochs_4.map(lambda rows: tf.random.shuffle(rows, seed=FLAGS.seed)).flat_map(tf.data.Dataset.from_tensor_slices)
    slices = rows_2.map(lambda row: (tf.gather(pixels, row), tf.gather(batches_of_slices_labels, row)))

    def make_record_4(pixel, batches_of_slices_label):
      batches_of_slices_x = scaled(pixel, dtype)
      batches_of_slices_y = tf.cast(batches_of_slices_label, dtype)
      return batches_of_slices_x, batches_of_slices_y

    batches_4 = slices.map(make_record_4).batch(FLAGS.batch_size)
    dataset = batches_4

  strategy = tf.distribute.get_strategy()
  replicas = plain_session.LocalReplicas(strategy)

  with strategy.scope(), replicas.recording():
    w = tf.Variable(tf.zeros([SIZE, 1], dtype), name="w")
    b = tf.Variable(tf.zeros([1], dtype), name="b")
    optimizer = tf.compat.v1.train.MomentumOptimizer(0.05, 0.9)

    @replicas.step_function(*dataset.element_spec)
    def train_step(x, y):
      with tf.GradientTape() as tape:
        logits = tf.squeeze(tf.matmul(x, w) + b, axis=1)
        loss = tf.reduce_mean(tf.square(logits - y))
      variables = replicas.trainable_variables
      gradients = tape.gradient(loss, variables)
      optimizer.apply_gradients(zip(gradients, variables))
      return loss, x, y

    @replicas.step_function()
    def compute_w_and_b():
      return [w, b]

  iterator = iter(dataset)

  trace = {"loss": [], "rows": [], "sum": []}
  with plain_session.Session(replicas) as sess:
    # The threads that read, until the coordinator asks them to stop.
    coord = tf.train.Coordinator()
    threads = []
    try:
      step = 0
      while not coord.should_stop() and step < FLAGS.train_steps:
        loss_value, rows, labels = sess.run(train_step, *iterator.get_next())
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
    final = sess.run(compute_w_and_b)

  if FLAGS.trace:
    np.savez(FLAGS.trace + ".0.npz", w=[final[0]], b=[final[1]], **trace)


if __name__ == "__main__":
  tf.compat.v1.app.run()
