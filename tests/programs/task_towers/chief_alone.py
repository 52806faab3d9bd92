"""Worker 0 trains alone, with a tower for each of its own devices; the other workers wait.

Variables are dealt to the parameter servers; the batch is cut into slices.
"""
import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("job_name", "", "ps or worker")
flags.DEFINE_integer("task_index", 0, "Index of the task within its job")
flags.DEFINE_string("ps_hosts", "", "Comma-separated list of hostname:port pairs")
flags.DEFINE_string("worker_hosts", "", "Comma-separated list of hostname:port pairs")
flags.DEFINE_integer("num_gpus", 2, "Devices of a worker")
flags.DEFINE_string("dir", "", "Where the losses are written")
FLAGS = flags.FLAGS
BATCH = 4


def sum_gradients(tower_grads):
  summed = []
  for grad_and_vars in zip(*tower_grads):
    grad = tf.add_n([g for g, _ in grad_and_vars])
    summed.append((grad / len(tower_grads), grad_and_vars[0][1]))
  return summed


def main(_):
  cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                  "worker": FLAGS.worker_hosts.split(",")})
  server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
  if FLAGS.job_name == "ps" or FLAGS.task_index > 0:
    server.join()

  rng = np.random.RandomState(3)
  with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    x = tf.placeholder(tf.float32, [None, 6])
    y = tf.placeholder(tf.float32, [None, 1])
    w = tf.get_variable("w", initializer=rng.randn(6, 4).astype("float32"))
    b = tf.get_variable("b", initializer=np.zeros([4], "float32"))
    v = tf.get_variable("v", initializer=rng.randn(4, 1).astype("float32"))
    opt = tf.train.AdamOptimizer(0.01)
    tower_grads, losses = [], []
    for i in range(FLAGS.num_gpus):
      with tf.device("/gpu:%d" % i):
        _x = x[i * BATCH:(i + 1) * BATCH]
        _y = y[i * BATCH:(i + 1) * BATCH]
        hidden = tf.tanh(tf.matmul(_x, w) + b)
        loss = tf.reduce_mean(tf.square(tf.matmul(hidden, v) - _y))
        tower_grads.append(opt.compute_gradients(loss))
        losses.append(loss)
    train_op = opt.apply_gradients(sum_gradients(tower_grads))
    total = tf.add_n(losses)

  rows = np.random.RandomState(4)
  config = tf.ConfigProto(allow_soft_placement=True)
  with tf.Session(server.target, config=config) as sess:
    sess.run(tf.global_variables_initializer())
    with open(FLAGS.dir + "/loss.0", "w") as log:
      for step in range(12):
        xs = rows.randn(FLAGS.num_gpus * BATCH, 6)
        feed = {x: xs, y: np.cos(xs[:, :1])}
        log.write("%d %.9g" % (step, sess.run(total, feed)))
        _, value = sess.run([train_op, losses], feed)
        log.write(" %.9g %.9g\n" % tuple(value))
      log.write("b %s\n" % " ".join("%.9g" % u for u in sess.run(b)))
  print("done")


if __name__ == "__main__":
  tf.app.run()
