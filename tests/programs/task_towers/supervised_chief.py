"""A Supervisor of the chief, all of whose graph is on a server but for the towers, which normalise.

Each tower has a device setter; the averaged gradients are clipped, the rate decays.
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


def tower_loss(images, labels):
  rng = np.random.RandomState(9)
  hidden = tf.layers.dense(
      images, 6, activation=tf.nn.elu, name="hidden",
      kernel_initializer=tf.constant_initializer(rng.randn(5, 6) / 2))
  hidden = tf.layers.batch_normalization(hidden, training=True, name="normalised")
  logits = tf.layers.dense(
      hidden, 3, name="logits",
      kernel_initializer=tf.constant_initializer(rng.randn(6, 3) / 2))
  return tf.losses.sparse_softmax_cross_entropy(
      labels, logits, loss_collection=None)


def average_gradients(tower_grads):
  average_grads = []
  for grad_and_vars in zip(*tower_grads):
    grads = []
    for g, _ in grad_and_vars:
      grads.append(tf.expand_dims(g, 0))
    grad = tf.reduce_mean(tf.concat(grads, 0), 0)
    average_grads.append((grad, grad_and_vars[0][1]))
  return average_grads


def main(_):
  cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                  "worker": FLAGS.worker_hosts.split(",")})
  server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
  if FLAGS.job_name == "ps" or FLAGS.task_index != 0:
    server.join()
  num_workers = cluster.num_tasks("worker")
  with tf.Graph().as_default(), tf.device("/job:ps/task:1/cpu:0"):
    global_step = tf.train.get_or_create_global_step()
    images = tf.placeholder(tf.float32, [12, 5])
    labels = tf.placeholder(tf.int32, [12])
    image_parts = tf.split(images, num_workers)
    label_parts = tf.split(labels, num_workers)
    rate = tf.train.exponential_decay(0.5, global_step, 5, 0.8, staircase=True)
    opt = tf.train.GradientDescentOptimizer(rate)
    tower_grads, losses = [], []
    for i in range(num_workers):
      setter = tf.train.replica_device_setter(
          worker_device="/job:worker/task:%d" % i, cluster=cluster)
      with tf.device(setter):
        with tf.variable_scope(tf.get_variable_scope(), reuse=i > 0):
          loss = tower_loss(image_parts[i], label_parts[i])
          losses.append(loss)
          tower_grads.append(opt.compute_gradients(loss))
    gradients, variables = zip(*average_gradients(tower_grads))
    gradients, _ = tf.clip_by_global_norm(gradients, 0.5)
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    with tf.control_dependencies(updates + losses):
      train_op = opt.apply_gradients(zip(gradients, variables), global_step=global_step)
    sv = tf.train.Supervisor(is_chief=True, logdir=FLAGS.dir + "/log",
                             global_step=global_step, summary_op=None)
    rng = np.random.RandomState(10)
    with sv.managed_session(server.target) as sess:
      with open(FLAGS.dir + "/loss.0", "w") as log:
        for step in range(12):
          xs = rng.randn(12, 5)
          values, _ = sess.run([losses, train_op],
                               feed_dict={images: xs, labels: xs[:, :3].argmax(1)})
          log.write("%d %s\n" % (step, " ".join("%.9g" % value for value in values)))
        servers = [v.device.split("task:")[1][0] for v in tf.trainable_variables()]
        log.write("servers %s\n" % " ".join(servers))


if __name__ == "__main__":
  tf.app.run()
