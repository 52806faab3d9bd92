"""slim's layers on parameter servers: batch normalisation, an argument scope, slim.learning's update."""
import numpy as np
import tensorflow as tf
from tensorflow.contrib import slim
from tensorflow.contrib.framework import arg_scope

tf.app.flags.DEFINE_string("ps_hosts", "", "")
tf.app.flags.DEFINE_string("worker_hosts", "", "")
tf.app.flags.DEFINE_string("job_name", "", "")
tf.app.flags.DEFINE_integer("task_index", 0, "")
tf.app.flags.DEFINE_string("dir", "", "")
tf.app.flags.DEFINE_boolean("sync", False, "")
FLAGS = tf.app.flags.FLAGS


def cifar_arg_scope(is_training):
  with arg_scope(
      [slim.conv2d, slim.fully_connected],
      weights_initializer=tf.random_uniform_initializer(-0.3, 0.3, seed=7),
      weights_regularizer=slim.l2_regularizer(0.02)):
    with arg_scope([slim.batch_norm], is_training=is_training, decay=0.75, scale=True) as sc:
      return sc


def cifar(images, num_classes):
  net = slim.conv2d(images, 4, [3, 3], normalizer_fn=slim.batch_norm, scope="conv1")
  net = slim.max_pool2d(net, [2, 2], scope="pool1")
  net = slim.conv2d(net, 3, [3, 3], normalizer_fn=slim.batch_norm)
  net = slim.flatten(net)
  return slim.fully_connected(net, num_classes, activation_fn=None, scope="logits")


def main(_):
  ps = FLAGS.ps_hosts.split(",")
  workers = FLAGS.worker_hosts.split(",")
  cluster = tf.train.ClusterSpec({"ps": ps, "worker": workers})
  server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
  if FLAGS.job_name == "ps":
    server.join()
  is_chief = FLAGS.task_index == 0
  with tf.device(tf.train.replica_device_setter(
      cluster=cluster, worker_device="/job:worker/task:%d" % FLAGS.task_index)):
    global_step = tf.train.get_or_create_global_step()
    images = tf.placeholder(tf.float32, [None, 8, 8, 3])
    labels = tf.placeholder(tf.int32, [None])
    is_training = tf.placeholder_with_default(False, [])
    with arg_scope(cifar_arg_scope(is_training)):
      logits = cifar(images, 4)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    total_loss = tf.losses.get_total_loss()
    optimizer = tf.train.MomentumOptimizer(0.05, 0.9)
    hooks = [tf.train.StopAtStepHook(last_step=24)]
    if FLAGS.sync:
      optimizer = tf.train.SyncReplicasOptimizer(
          optimizer, replicas_to_aggregate=len(workers), total_num_replicas=len(workers))
      hooks.append(optimizer.make_session_run_hook(is_chief, num_tokens=0))
    train_op = slim.learning.create_train_op(total_loss, optimizer, global_step=global_step)
    accuracy = tf.reduce_mean(tf.to_float(tf.nn.in_top_k(logits, labels, 1)))

  rng = np.random.RandomState(FLAGS.task_index)
  x = rng.rand(64, 8, 8, 3).astype(np.float32)
  y = x[:, 0, 0, :].argmax(1).astype(np.int32)
  log = open(FLAGS.dir + "/loss.%d" % FLAGS.task_index, "w")
  with tf.train.MonitoredTrainingSession(
      master=server.target, is_chief=is_chief, checkpoint_dir=FLAGS.dir + "/train",
      hooks=hooks, stop_grace_period_secs=1) as sess:
    i = 0
    while not sess.should_stop():
      part = slice(16 * (i % 4), 16 * (i % 4) + 16)
      total, cost = sess.run([train_op, loss], {images: x[part], labels: y[part], is_training: True})
      log.write("%d %r\n%d %r\n" % (i, float(total), i, float(cost)))
      log.flush()
      i += 1
      if i % 8 == 0 and not sess.should_stop():
        right = sess.run(accuracy, {images: x, labels: y})
        print("accuracy %r" % float(right))
  log.close()


if __name__ == "__main__":
  tf.app.run()
