"""A Supervisor of every worker looks at the training by time, in a thread of its own."""
import argparse
import time

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--ps_hosts", default="")
parser.add_argument("--worker_hosts", default="")
parser.add_argument("--job_name", default="")
parser.add_argument("--task_index", type=int, default=0)
parser.add_argument("--dir", default="/tmp/train")
FLAGS, _ = parser.parse_known_args()

seen = []


def print_norm(sess, fetches):
    norm, step = sess.run(fetches)
    seen.append(norm)
    if len(seen) == 1:
        print("worker %d at step %d: norm %s" % (FLAGS.task_index, step, norm > 0))


def my_additional_summaries(sv, sess, summary_op):
    sv.summary_computed(sess, sess.run(summary_op))


def main():
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                    "worker": FLAGS.worker_hosts.split(",")})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name,
                             task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    is_chief = FLAGS.task_index == 0
    with tf.device(tf.train.replica_device_setter(
            worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster)):
        x = tf.placeholder(tf.float32, [None, 5])
        y = tf.placeholder(tf.float32, [None, 1])
        w = tf.get_variable("w", [5, 1], initializer=tf.constant_initializer(0.3))
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
        norm = tf.norm(w)
        global_step = tf.train.get_or_create_global_step()
        train_op = tf.train.GradientDescentOptimizer(0.05).minimize(
            loss, global_step=global_step)
        summary_op = tf.summary.scalar("norm", norm)
        init_op = tf.global_variables_initializer()
    sv = tf.train.Supervisor(is_chief=is_chief, logdir=FLAGS.dir + "/logs",
                             init_op=init_op, summary_op=None, save_model_secs=0,
                             recovery_wait_secs=1)
    rng = np.random.RandomState(FLAGS.task_index)
    log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
    sess = sv.prepare_or_wait_for_session(server.target)
    sv.loop(0.02, print_norm, ([sess, [norm, global_step]]))
    if is_chief:
        sv.loop(0.5, my_additional_summaries, args=(sv, sess, summary_op))
    step = 0
    while not sv.should_stop() and step < 40:
        while not seen:  # It has been looked at since the last step.
            time.sleep(0.01)
        del seen[:]
        xs = rng.randn(10, 5)
        _, value, step = sess.run([train_op, loss, global_step],
                                  feed_dict={x: xs, y: xs.sum(1, keepdims=True)})
        log.write("%d %r\n" % (step, float(value)))
    log.close()
    sv.stop()


main()
