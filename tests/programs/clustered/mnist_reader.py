"""contrib.learn's MNIST reader, sync under a flag that is off, summaries saved by a hook."""
import os
import tensorflow as tf
from tensorflow.contrib.learn.python.learn.datasets.mnist import read_data_sets

tf.app.flags.DEFINE_string("ps_hosts", "", "")
tf.app.flags.DEFINE_string("worker_hosts", "", "")
tf.app.flags.DEFINE_string("job_name", "", "")
tf.app.flags.DEFINE_integer("task_index", 0, "")
tf.app.flags.DEFINE_string("dir", "", "")
tf.app.flags.DEFINE_bool("sync", False, "")
FLAGS = tf.app.flags.FLAGS


def main(_):
  ps_hosts, worker_hosts = FLAGS.ps_hosts.split(","), FLAGS.worker_hosts.split(",")
  server = tf.train.Server({"ps": ps_hosts, "worker": worker_hosts},
                           job_name=FLAGS.job_name, task_index=FLAGS.task_index)
  if FLAGS.job_name == "ps":
    server.join()
  data = read_data_sets(os.path.join(FLAGS.dir, "..", "mnist"), one_hot=False,
                        validation_size=100, seed=11)
  with tf.device(tf.train.replica_device_setter(len(ps_hosts), worker_device="/job:worker/task:%d" % FLAGS.task_index)):
    step = tf.Variable(0, trainable=False, name="global_step", dtype=tf.int64)
    images = tf.placeholder(tf.float32, [None, 784])
    labels = tf.placeholder(tf.int64, [None])
    w = tf.Variable(tf.zeros([784, 10]), name="w")
    b = tf.Variable(tf.zeros([10]), name="b")
    logits = tf.matmul(images, w) + b
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    opt = tf.train.AdagradOptimizer(tf.train.inverse_time_decay(0.1, step, 10, 0.5))
    if FLAGS.sync:
      opt = tf.train.SyncReplicasOptimizer(opt, len(worker_hosts), len(worker_hosts))
    train_op = opt.minimize(loss, global_step=step)
    tf.summary.scalar("xent", loss)
    tf.summary.image("images", tf.reshape(images, [-1, 28, 28, 1]), 2)
    summaries = tf.summary.merge_all()
  hooks = [tf.train.StopAtStepHook(num_steps=20)]
  if FLAGS.task_index == 0:
    hooks.append(tf.train.SummarySaverHook(save_steps=4, output_dir=FLAGS.dir + "/s", summary_op=summaries))
  if FLAGS.sync:
    hooks.append(opt.make_session_run_hook(FLAGS.task_index == 0))
  with tf.train.MonitoredTrainingSession(master=server.target, is_chief=(FLAGS.task_index == 0),
                                         hooks=hooks) as sess:
    with open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w") as log:
      while not sess.should_stop():
        xs, ys = data.train.next_batch(50)
        _, value = sess.run([train_op, loss], feed_dict={images: xs, labels: ys})
        log.write("%d %r\n" % (data.train.epochs_completed, float(value)))


if __name__ == "__main__":
  tf.app.run(main=main)
