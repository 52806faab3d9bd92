"""A monitored session of the chief: towers' losses added up, gradients clipped.

The devices of the towers are a list; the chief is a job of its own.
"""
import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("job_name", "", "ps or worker")
flags.DEFINE_integer("task_index", 0, "Index of the task within its job")
flags.DEFINE_string("ps_hosts", "", "Comma-separated list of hostname:port pairs")
flags.DEFINE_string("worker_hosts", "", "Comma-separated list of hostname:port pairs")
flags.DEFINE_string("dir", "", "Where losses and checkpoints are written")
FLAGS = flags.FLAGS


def main(_):
  hosts = {"ps": FLAGS.ps_hosts.split(","), "worker": FLAGS.worker_hosts.split(",")}
  cluster = tf.train.ClusterSpec(hosts)
  server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
  if FLAGS.job_name == "ps":
    server.join()
  elif FLAGS.task_index > 0:
    server.join()
  else:
    devices = ["/job:worker/task:%d/cpu:0" % i for i in range(len(hosts["worker"]))]
    with tf.device("/job:ps/task:0/cpu:0"):
      global_step = tf.train.get_or_create_global_step()
      w = tf.get_variable("w", [5, 1], initializer=tf.constant_initializer(0.3))
    images = tf.placeholder(tf.float32, [None, 5])
    labels = tf.placeholder(tf.float32, [None, 1])
    image_parts = tf.split(images, len(devices))
    label_parts = tf.split(labels, len(devices))
    opt = tf.train.GradientDescentOptimizer(0.1)
    tower_grads = []
    total_loss = 0
    for i, device in enumerate(devices):
      with tf.device(device), tf.name_scope("tower_%d" % i):
        loss = tf.reduce_mean(tf.abs(tf.matmul(image_parts[i], w) - label_parts[i]))
        total_loss += loss
        tower_grads.append(opt.compute_gradients(loss))
    grads = [(tf.add_n([g for g, _ in pairs]) / len(devices), pairs[0][1])
             for pairs in zip(*tower_grads)]
    clipped = [(tf.clip_by_norm(g, 0.4), v) for g, v in grads]
    with tf.control_dependencies([total_loss]):
      train_op = opt.apply_gradients(clipped, global_step=global_step)
    hooks = [tf.train.StopAtStepHook(last_step=12)]
    rng = np.random.RandomState(6)
    with tf.train.MonitoredTrainingSession(
        master=server.target, is_chief=True, hooks=hooks,
        checkpoint_dir=FLAGS.dir + "/checkpoints") as sess:
      with open(FLAGS.dir + "/loss.0", "w") as log:
        step = 0
        while not sess.should_stop():
          xs = rng.randn(6, 5)
          _, value = sess.run(
              [train_op, total_loss],
              feed_dict={images: xs, labels: xs[:, :1] - xs[:, 1:2]})
          log.write("%d %.9g\n" % (step, value))
          step += 1


if __name__ == "__main__":
  tf.app.run()
