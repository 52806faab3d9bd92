"""Fits a line on a cluster. Each task is started with its own flags."""
import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("ps_hosts", "localhost:2222", "parameter servers")
flags.DEFINE_string("worker_hosts", "localhost:2223", "workers")
flags.DEFINE_string("job_name", "worker", "ps or worker")
flags.DEFINE_integer("task_index", 0, "the task of the job")
FLAGS = flags.FLAGS


def main(_):
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
        "worker": FLAGS.worker_hosts.split(",")})
    server = tf.train.Server(cluster, FLAGS.job_name, FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()

    with tf.device(tf.train.replica_device_setter(cluster=cluster)):
        x = tf.placeholder(tf.float32, [None, 3])
        y = tf.placeholder(tf.float32, [None])
        w = tf.Variable(tf.zeros([3]), name="w")
        loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * w, 1) - y))
        step = tf.train.get_or_create_global_step()
        train_op = tf.train.AdamOptimizer(0.05).minimize(loss, step)

    numbers = np.random.RandomState(FLAGS.task_index)
    with tf.train.MonitoredTrainingSession(
            server.target, is_chief=FLAGS.task_index == 0) as sess:
        for i in range(1000):
            batch = numbers.rand(32, 3)
            feed = {x: batch, y: batch.dot([1.0, 2.0, 3.0])}
            value, _ = sess.run([loss, train_op], feed)
            if i % 200 == 0:
                print("step %d: loss %.6f" % (i, value))


if __name__ == "__main__":
    tf.app.run()
