"""The graph in the branch of the workers, the session below both branches."""
import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("ps_hosts", "", "")
flags.DEFINE_string("worker_hosts", "", "")
flags.DEFINE_string("job_name", "", "")
flags.DEFINE_integer("task_index", 0, "")
flags.DEFINE_string("dir", "/tmp/train", "")
FLAGS = flags.FLAGS


def main(_):
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                    "worker": FLAGS.worker_hosts.split(",")})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    elif FLAGS.job_name == "worker":
        with tf.device(tf.train.replica_device_setter(
                worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster)):
            x = tf.placeholder(tf.float32, [None, 5])
            y = tf.placeholder(tf.float32, [None, 1])
            w = tf.Variable(tf.zeros([5, 1]), name="w")
            loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
            global_step = tf.train.get_or_create_global_step()
            train_op = tf.train.GradientDescentOptimizer(0.05).minimize(
                loss, global_step=global_step)

    rng = np.random.RandomState(FLAGS.task_index)
    log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
    with tf.train.MonitoredTrainingSession(
            master=server.target, is_chief=FLAGS.task_index == 0,
            hooks=[tf.train.StopAtStepHook(last_step=20)]) as sess:
        while not sess.should_stop():
            xs = rng.randn(10, 5)
            _, value, step = sess.run([train_op, loss, global_step],
                                      {x: xs, y: xs.sum(1, keepdims=True)})
            log.write("%d %r\n" % (step, float(value)))
    log.close()


if __name__ == "__main__":
    tf.app.run()
