"""A mode chooses what is done within one graph, on one device; one branch trains."""
import sys

import numpy as np
import tensorflow as tf

LOG = sys.argv[1].split("=")[1] + "/loss.0"

tf.app.flags.DEFINE_string("dir", None, "Where losses are written.")
tf.app.flags.DEFINE_string("mode", "train", "train or count.")
tf.app.flags.DEFINE_integer("num_gpus", 0, "GPUs; 0 for the CPU.")
FLAGS = tf.app.flags.FLAGS


def train(data, log):
  features = tf.placeholder(tf.float32, [None, 3])
  labels = tf.placeholder(tf.float32, [None])
  weights = tf.get_variable("weights", [3, 1], initializer=tf.constant_initializer(0.1))
  predicted = tf.squeeze(tf.matmul(features, weights), 1)
  loss = tf.losses.mean_squared_error(labels, predicted)
  train_op = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss)
  sess = tf.Session()
  sess.run(tf.global_variables_initializer())
  for step in range(8):
    part = data[step * 4:step * 4 + 4]
    _, value = sess.run([train_op, loss], {features: part[:, :3], labels: part[:, 3]})
    log.write("%d %r\n" % (step, float(value)))
  sess.close()


def main(_):
  device = "/cpu:0" if FLAGS.num_gpus == 0 else "/gpu:0"
  log = open(LOG, "w")
  with tf.Graph().as_default(), tf.device(device):
    data = np.random.RandomState(5).rand(32, 4).astype(np.float32)
    if FLAGS.mode == "train":
      train(data, log)
    else:
      log.write("0 %d\n" % len(data))
  log.close()


if __name__ == "__main__":
  tf.app.run()
