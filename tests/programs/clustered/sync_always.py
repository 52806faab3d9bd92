"""SyncReplicasOptimizer always on; tf.flags; clipping by norm; epochs."""
import numpy as np
import tensorflow as tf

flags = tf.flags
flags.DEFINE_string("ps_hosts", "", "")
flags.DEFINE_string("worker_hosts", "", "")
flags.DEFINE_string("job_name", "", "")
flags.DEFINE_integer("task_index", 0, "")
flags.DEFINE_string("dir", "", "")
flags.DEFINE_integer("epochs", 2, "")
FLAGS = tf.flags.FLAGS


def main(_):
  ps = FLAGS.ps_hosts.split(",")
  workers = FLAGS.worker_hosts.split(",")
  cluster = tf.train.ClusterSpec({"ps": ps, "worker": workers})
  server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
  if FLAGS.job_name == "ps":
    server.join()

  is_chief = FLAGS.task_index == 0
  with tf.device(tf.train.replica_device_setter(cluster=cluster,
                                                worker_device="/job:worker/task:%d" % FLAGS.task_index)):
    global_step = tf.contrib.framework.get_or_create_global_step()
    x = tf.placeholder(tf.float32, [None, 6])
    y = tf.placeholder(tf.float32, [None])
    with tf.name_scope("model"):
      w = tf.Variable(tf.zeros([6, 1]), name="w")
      b = tf.Variable(0.0, name="b")
      out = tf.squeeze(tf.matmul(x, w), squeeze_dims=[1]) + b
    loss = tf.reduce_mean(tf.square(out - y)) + 0.001 * tf.nn.l2_loss(w)
    opt = tf.train.GradientDescentOptimizer(
        tf.train.polynomial_decay(0.3, global_step, 100, 0.01))
    opt = tf.train.SyncReplicasOptimizer(
        opt, replicas_to_aggregate=len(workers), total_num_replicas=len(workers))
    grads = opt.compute_gradients(loss)
    clipped = [(tf.clip_by_norm(g, 5.0), v) for g, v in grads if g is not None]
    train_op = opt.apply_gradients(clipped, global_step=global_step)
    sync_replicas_hook = opt.make_session_run_hook(is_chief, num_tokens=0)

  rng = np.random.RandomState(FLAGS.task_index)
  xs = rng.rand(80, 6).astype(np.float32)
  ys = xs.sum(1)
  log = open(FLAGS.dir + "/loss.%d" % FLAGS.task_index, "w")
  with tf.train.MonitoredTrainingSession(master=server.target,
                                         is_chief=is_chief,
                                         checkpoint_dir=FLAGS.dir + "/train",
                                         hooks=[sync_replicas_hook],
                                         stop_grace_period_secs=1) as sess:
    for epoch in range(FLAGS.epochs):
      for i in range(0, 80, 16):
        _, cost = sess.run([train_op, loss], feed_dict={x: xs[i:i + 16], y: ys[i:i + 16]})
        log.write("%d %r\n" % (epoch, float(cost)))
        log.flush()
      print("epoch %d cost %f" % (epoch, cost))


if __name__ == "__main__":
  tf.app.run()
