"""Worker 0 builds all towers by replica_device_setter, one for each worker, and trains.

Every tower is fed its own batch. The other workers only serve.
"""
import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("job_name", "", "ps or worker")
flags.DEFINE_integer("task_index", 0, "Index of the task within its job")
flags.DEFINE_string("ps_hosts", "", "Comma-separated list of hostname:port pairs")
flags.DEFINE_string("worker_hosts", "", "Comma-separated list of hostname:port pairs")
flags.DEFINE_string("dir", "", "Where the losses are written")
FLAGS = flags.FLAGS


def inference(images):
  rng = np.random.RandomState(3)
  with tf.variable_scope("hidden"):
    w = tf.get_variable("weights", [6, 8],
                        initializer=tf.constant_initializer(rng.randn(6, 8) / 3))
    b = tf.get_variable("biases", [8], initializer=tf.zeros_initializer())
    hidden = tf.nn.relu(tf.matmul(images, w) + b)
  with tf.variable_scope("out"):
    w = tf.get_variable("weights", [8, 2],
                        initializer=tf.constant_initializer(rng.randn(8, 2) / 3))
    return tf.matmul(hidden, w)


def average_gradients(tower_grads):
  result = []
  for pairs in zip(*tower_grads):
    stacked = tf.stack([g for g, _ in pairs], axis=0)
    result.append((tf.reduce_mean(stacked, axis=0), pairs[0][1]))
  return result


def main(_):
  ps_hosts = FLAGS.ps_hosts.split(",")
  worker_hosts = FLAGS.worker_hosts.split(",")
  cluster = tf.train.ClusterSpec({"ps": ps_hosts, "worker": worker_hosts})
  server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
  is_chief = FLAGS.job_name == "worker" and FLAGS.task_index == 0
  if not is_chief:
    server.join()
  num_workers = len(worker_hosts)

  global_step = tf.Variable(0, name="global_step", trainable=False)
  x0 = tf.placeholder(tf.float32, [None, 6])
  y0 = tf.placeholder(tf.float32, [None, 2])
  x1 = tf.placeholder(tf.float32, [None, 6])
  y1 = tf.placeholder(tf.float32, [None, 2])
  xs, ys = [x0, x1], [y0, y1]
  opt = tf.train.AdamOptimizer(0.01)
  tower_grads = []
  for i in range(num_workers):
    with tf.device(tf.train.replica_device_setter(
        worker_device="/job:worker/task:%d" % i, cluster=cluster)):
      with tf.variable_scope("model", reuse=(i > 0)):
        loss = tf.reduce_mean(tf.square(inference(xs[i]) - ys[i]))
        grads = opt.compute_gradients(loss)
        tower_grads.append(grads)
  train_op = opt.apply_gradients(average_gradients(tower_grads), global_step=global_step)

  rng = np.random.RandomState(4)
  config = tf.ConfigProto(allow_soft_placement=True)
  with tf.Session(server.target, config=config) as sess:
    sess.run(tf.global_variables_initializer())
    with open(FLAGS.dir + "/loss.0", "w") as log:
      for step in range(12):
        first, second = rng.randn(5, 6), rng.randn(5, 6)
        sess.run(train_op, feed_dict={x0: first, y0: first[:, :2],
                                      x1: second, y1: second[:, 1:3]})
        value = sess.run(loss, feed_dict={x0: first, y0: first[:, :2],
                                          x1: second, y1: second[:, 1:3]})
        log.write("%d %.9g\n" % (step, value))
      # The parameter server that has each of the weights.
      servers = [v.device.split("task:")[1][0] for v in tf.trainable_variables()]
      log.write("servers %s\n" % " ".join(servers))
  print("done")


if __name__ == "__main__":
  tf.app.run()
