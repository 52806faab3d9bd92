"""A Saver of chosen variables: the checkpoints have those, under names of the user's."""
import argparse

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--ps_hosts")
parser.add_argument("--worker_hosts")
parser.add_argument("--job_name")
parser.add_argument("--task_index", type=int)
parser.add_argument("--dir")
FLAGS = parser.parse_args()

cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                "worker": FLAGS.worker_hosts.split(",")})
server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
if FLAGS.job_name == "ps":
  server.join()
is_chief = FLAGS.task_index == 0
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
  global_step = tf.train.get_or_create_global_step()
  x = tf.placeholder(tf.float32, [None, 3])
  w = tf.Variable(tf.zeros([3, 2]), name="w")
  b = tf.Variable(tf.zeros([2]), name="b")
  loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - 1.0))
  train_op = tf.train.AdamOptimizer(0.1).minimize(loss, global_step=global_step)
saver = tf.train.Saver({"weights": w, "bias": b}, max_to_keep=2)
hooks = [tf.train.StopAtStepHook(last_step=12)]
chief_hooks = [tf.train.CheckpointSaverHook(FLAGS.dir, save_steps=4, saver=saver)]
log = open(FLAGS.dir + "/loss.%d" % FLAGS.task_index, "w")
with tf.train.MonitoredTrainingSession(master=server.target, is_chief=is_chief, hooks=hooks,
                                       chief_only_hooks=chief_hooks) as sess:
  random = np.random.RandomState(FLAGS.task_index)
  while not sess.should_stop():
    _, value, step = sess.run([train_op, loss, global_step], {x: random.rand(8, 3)})
    log.write("%d %r\n" % (step, float(value)))
# What the checkpoint has: names and values.
reader = tf.train.load_checkpoint(FLAGS.dir)
shapes = reader.get_variable_to_shape_map()
assert sorted(shapes) == ["bias", "weights"], shapes
for name in sorted(shapes):
  for value in reader.get_tensor(name).flatten():
    log.write("0 %r\n" % float(value))
log.close()
