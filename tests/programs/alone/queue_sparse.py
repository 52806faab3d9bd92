"""A dict of features, sparse ones among them, in a batch."""
import sys

import tensorflow as tf

DIR = sys.argv[1].split("=")[1]
with tf.python_io.TFRecordWriter(DIR + "/r") as w:
  for i in range(9):
    e = tf.train.Example()
    e.features.feature["ids"].int64_list.value.extend(range(i % 4))
    e.features.feature["y"].float_list.value.append(i / 2.0)
    w.write(e.SerializeToString())
queue = tf.train.string_input_producer([DIR + "/r"], num_epochs=4)
_, s = tf.TFRecordReader().read(queue)
features = tf.parse_single_example(s, {"ids": tf.VarLenFeature(tf.int64), "y": tf.FixedLenFeature([], tf.float32)})
batch = tf.train.batch(features, 4)
dense = tf.sparse_tensor_to_dense(batch["ids"], default_value=-1)
w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.square(w - batch["y"])) + tf.to_float(tf.reduce_sum(dense)) + 100.0 * tf.to_float(tf.shape(dense)[1])
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess, open(DIR + "/loss.0", "w") as log:
  sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
  coord = tf.train.Coordinator()
  threads = tf.train.start_queue_runners(coord=coord)
  try:
    i = 0
    while True:
      log.write("%d %r\n" % (i, float(sess.run([train, loss])[1])))
      i += 1
  except tf.errors.OutOfRangeError:
    pass
  coord.request_stop()
  coord.join(threads)
