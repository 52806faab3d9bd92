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
parser.add_argument("--dir", default="/tmp/train")
FLAGS, _ = parser.parse_known_args()


def main():
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                    "worker": FLAGS.worker_hosts.split(",")})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    is_chief = FLAGS.task_index == 0
    if FLAGS.job_name == "ps":
        server.join()
    with tf.device("/job:ps/task:0"):
        w = tf.Variable(tf.zeros([5, 1]), name="w")
        global_step = tf.train.get_or_create_global_step()
    with tf.device("/job:ps/task:0/cpu:0"):
        b = tf.Variable(tf.zeros([1]), name="b")
    with tf.device("/job:worker/task:%d" % FLAGS.task_index):
        x = tf.placeholder(tf.float32, [None, 5])
        y = tf.placeholder(tf.float32, [None, 1])
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
        gradients = tf.gradients(loss, [w, b])
    # The rule of gradient descent, where the variables are.
    with tf.device("/job:ps/task:0"):
        update_w = w.assign_sub(0.05 * gradients[0])
        update_b = tf.assign_sub(b, 0.05 * gradients[1])
        count = tf.assign_add(global_step, 1)
    train_op = tf.group(update_w, update_b, count)
    saver = tf.train.Saver()
    init_op = tf.global_variables_initializer()
    uninitialized = tf.report_uninitialized_variables()

    config = tf.ConfigProto(
        allow_soft_placement=True,
        device_filters=["/job:ps", "/job:worker/task:%d" % FLAGS.task_index])
    rng = np.random.RandomState(FLAGS.task_index)
    log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
    with tf.Session(server.target, config=config) as sess:
        if is_chief:
            sess.run(init_op)
        else:
            while len(sess.run(uninitialized)) > 0:
                time.sleep(0.1)
        step = 0
        while step < 40:
            xs = rng.randn(10, 5)
            _, value = sess.run([train_op, loss], {x: xs, y: xs.sum(1, keepdims=True)})
            step += 1
            log.write("%d %r\n" % (step, float(value)))
        log.close()
        if is_chief:
            saver.save(sess, FLAGS.dir + "/model", global_step=global_step)


main()
