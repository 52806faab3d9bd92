"""Functions that make the queue, wait for it, connect to all of them and fill them."""
import argparse

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--ps_hosts", default="")
parser.add_argument("--worker_hosts", default="")
parser.add_argument("--job_name", default="")
parser.add_argument("--task_index", type=int, default=0)
parser.add_argument("--dir", default="/tmp/train")
FLAGS, _ = parser.parse_known_args()
ps_hosts = FLAGS.ps_hosts.split(",")
worker_hosts = FLAGS.worker_hosts.split(",")


def create_done_queue(cluster_spec, task_index):
    with tf.device("/job:ps/task:%d" % (task_index)):
        queue = tf.FIFOQueue(cluster_spec.num_tasks("worker"), tf.int32,
                             shared_name="done_queue" + str(task_index))
        return queue


def wait_done_queue(cluster_spec, server, queue, task_index):
    with tf.Session(server.target) as sess:
        for i in range(cluster_spec.num_tasks("worker")):
            sess.run(queue.dequeue())
            print("ps %d received done %d" % (task_index, i))
        print("ps %d: quitting" % task_index)


def connect_done_queue(cluster_spec, task_index):
    done_ops = []
    for i in range(cluster_spec.num_tasks("ps")):
        with tf.device("/job:ps/task:%d" % i):
            queue = tf.FIFOQueue(cluster_spec.num_tasks("worker"), tf.int32,
                                 shared_name="done_queue" + str(i))
            done_ops.append(queue.enqueue(task_index))
    return done_ops


def fill_done_queue(cluster_spec, server, done_ops, task_index):
    with tf.Session(server.target) as sess:
        for i in range(cluster_spec.num_tasks("ps")):
            sess.run(done_ops[i])


def main():
    cluster = tf.train.ClusterSpec({"ps": ps_hosts, "worker": worker_hosts})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name,
                             task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        queue = create_done_queue(cluster, FLAGS.task_index)
        wait_done_queue(cluster, server, queue, FLAGS.task_index)
    elif FLAGS.job_name == "worker":
        with tf.device(tf.train.replica_device_setter(
                worker_device="/job:worker/task:%d" % FLAGS.task_index,
                cluster=cluster)):
            x = tf.placeholder(tf.float32, [None, 5])
            y = tf.placeholder(tf.float32, [None, 1])
            w = tf.get_variable("w", [5, 1], initializer=tf.constant_initializer(0.3))
            loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
            global_step = tf.train.get_or_create_global_step()
            train_op = tf.train.MomentumOptimizer(0.05, 0.9).minimize(
                loss, global_step=global_step)
        done_ops = connect_done_queue(cluster, FLAGS.task_index)
        rng = np.random.RandomState(FLAGS.task_index)
        log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
        with tf.train.MonitoredTrainingSession(
                master=server.target, is_chief=FLAGS.task_index == 0,
                hooks=[tf.train.StopAtStepHook(last_step=30)]) as sess:
            while not sess.should_stop():
                xs = rng.randn(10, 5)
                _, value, step = sess.run([train_op, loss, global_step],
                                          {x: xs, y: xs.sum(1, keepdims=True)})
                log.write("%d %r\n" % (step, float(value)))
        fill_done_queue(cluster, server, done_ops, FLAGS.task_index)
        log.close()


main()
