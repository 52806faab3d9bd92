"""Asynchronous; variables pinned to parameter servers, the rest to the own worker."""
import argparse
import time
import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--ps_hosts", default="")
parser.add_argument("--worker_hosts", default="")
parser.add_argument("--job_name", default="")
parser.add_argument("--task_index", type=int, default=0)
parser.add_argument("--dir", default="logs/train")
FLAGS, _ = parser.parse_known_args()

def main():
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    is_chief = FLAGS.task_index == 0
    if FLAGS.job_name == "ps":
        server.join()
    with tf.device("/job:ps/task:0/cpu:0"):
        b = tf.Variable(tf.zeros([1]), name="b")
    saver = tf.train.Saver()
    init_op = tf.global_variables_initializer()
    uninitialized = tf.report_uninitialized_variables()

    rng = np.random.RandomState(FLAGS.task_index)
    log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
    with tf.Session(server.target, config=config) as sess:
        step = 0
        while step < 40:
            xs = rng.randn(10, 5)
            _, value, step = sess.run([train_op, loss, global_step],
                                      {x: xs, y: xs.sum(1, keepdims=True)})
            log.write("%d %r\n" % (step, float(value)))
        log.close()
        if is_chief:
            saver.save(sess, FLAGS.dir + "/model", global_step=global_step)

main()
