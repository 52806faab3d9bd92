"""Trains the model of model.py on a cluster."""
import os

import numpy as np
import tensorflow as tf

from model import build_graph

flags = tf.app.flags
flags.DEFINE_string("ps_hosts", "", "")
flags.DEFINE_string("worker_hosts", "", "")
flags.DEFINE_string("job_name", "", "")
flags.DEFINE_integer("task_index", 0, "")
flags.DEFINE_string("dir", "/tmp", "")
FLAGS = flags.FLAGS


def get_train_op(loss, global_step):
    lr = tf.train.exponential_decay(0.2, global_step, 5, 0.8, staircase=True)
    optimizer = tf.train.GradientDescentOptimizer(lr)
    return optimizer.minimize(loss, global_step=global_step), lr


def main(_):
    ps_hosts = FLAGS.ps_hosts.split(",")
    worker_hosts = FLAGS.worker_hosts.split(",")
    cluster = tf.train.ClusterSpec({"ps": ps_hosts, "worker": worker_hosts})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    elif FLAGS.job_name == "worker":
        rng = np.random.RandomState(0)
        with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device="/job:worker/task:%d" % FLAGS.task_index)):
            graph = build_graph(5, 3)
            global_step = tf.train.get_or_create_global_step()
            train_op, lr = get_train_op(graph.loss, global_step)
        with tf.train.MonitoredTrainingSession(master=server.target, is_chief=(FLAGS.task_index == 0),
                                               hooks=[tf.train.StopAtStepHook(last_step=20)]) as mon_sess, \
                open(os.path.join(FLAGS.dir, "loss.0"), "w") as log:
            while not mon_sess.should_stop():
                xs = rng.randn(32, 5)
                ys = np.argmax(xs[:, :3], 1)
                feed = {graph.x: xs, graph.y: ys, graph.keep_prob: 0.9}
                _, loss, acc, step = mon_sess.run([train_op, graph.loss, graph.accuracy, global_step], feed_dict=feed)
                log.write("%d %r %r\n" % (step, float(loss), float(acc)))


if __name__ == "__main__":
    tf.app.run()
