"""Training or test files by a flag, each read by a function that is called in a branch."""
import sys

import tensorflow as tf

DIR = sys.argv[1].split("=")[1]
for name, first in (("a.txt", 0), ("b.txt", 100)):
  with open(DIR + "/" + name, "w") as f:
    f.write("".join("%d\n" % (first + i) for i in range(7)))
train = len(DIR) > 1
SCALE = tf.constant(2.0)

def inputs(name):
  q = tf.train.string_input_producer([DIR + "/" + name])
  _, v = tf.TextLineReader().read(q)
  x = tf.string_to_number(v) * SCALE
  return tf.train.batch([x], 3)

if train:
  x = inputs("a.txt")
else:
  x = inputs("b.txt")
w = tf.Variable(1.0)
loss = tf.reduce_mean(x * w) * SCALE
with tf.Session() as sess, open(DIR + "/loss.0", "w") as log:
  sess.run(tf.global_variables_initializer())
  coord = tf.train.Coordinator()
  threads = tf.train.start_queue_runners(coord=coord)
  for i in range(6):
    log.write("%d %r\n" % (i, float(sess.run(loss))))
  coord.request_stop()
  coord.join(threads)
