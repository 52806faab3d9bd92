"""D144: a session that does not know of the server."""
import argparse
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--ps_hosts", default="")
parser.add_argument("--worker_hosts", default="")
parser.add_argument("--job_name", default="")
parser.add_argument("--task_index", type=int, default=0)
parser.add_argument("--dir", default="/tmp/train")
FLAGS = parser.parse_args()


def main():
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                    "worker": FLAGS.worker_hosts.split(",")})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    with tf.device(tf.train.replica_device_setter(
            worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster)):
        w = tf.get_variable("w", [], initializer=tf.constant_initializer(8.0))
        loss = tf.square(w)
        step = tf.train.get_or_create_global_step()
        train_op = tf.train.GradientDescentOptimizer(0.125).minimize(loss, global_step=step)

    with tf.train.MonitoredTrainingSession(is_chief=FLAGS.task_index == 0) as sess:
        log = open(FLAGS.dir + "/loss.%d" % FLAGS.task_index, "w")
        for i in range(4):
            value, _ = sess.run([loss, train_op])
            log.write("%d %r\n" % (i, float(value)))
        log.close()


if __name__ == "__main__":
    main()
