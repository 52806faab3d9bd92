"""D112: every worker gives the variables their initial values."""
import argparse
import time

import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--ps_hosts", default="")
parser.add_argument("--worker_hosts", default="")
parser.add_argument("--job_name", default="")
parser.add_argument("--task_index", type=int, default=0)
parser.add_argument("--dir", default="/tmp/train")
FLAGS = parser.parse_args()


def wait_for(path):
    while not tf.gfile.Exists(path):
        time.sleep(0.05)


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
        train_op = tf.train.GradientDescentOptimizer(0.25).minimize(loss, global_step=step)
        init = tf.global_variables_initializer()

    # The other worker begins when the first has made three steps.
    half, begun = FLAGS.dir + "/half", FLAGS.dir + "/begun"
    if FLAGS.task_index == 1:
        wait_for(half)
    with tf.Session(server.target) as sess:
        sess.run(init)
        if FLAGS.task_index == 1:
            tf.gfile.MkDir(begun)
        else:
            log = open(FLAGS.dir + "/loss.0", "w")
            for i in range(6):
                if i == 3:
                    tf.gfile.MkDir(half)
                    wait_for(begun)
                value, _ = sess.run([loss, train_op])
                log.write("%d %r\n" % (i, float(value)))
            log.close()


if __name__ == "__main__":
    main()
