"""A function that trains alone and one that trains on servers, which share the loop."""
import argparse

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--ps_hosts", default="")
parser.add_argument("--worker_hosts", default="")
parser.add_argument("--job_name", default="", choices=["", "ps", "worker"])
parser.add_argument("--task_index", type=int, default=0)
parser.add_argument("--steps", type=int, default=24)
parser.add_argument("--dir", default="/tmp/train")
FLAGS, _ = parser.parse_known_args()


class Model(object):
    def __init__(self, size):
        self.images = tf.placeholder(tf.float32, [None, size])
        self.labels = tf.placeholder(tf.int64, [None])
        logits = tf.layers.dense(self.images, 3, name="logits",
                                 kernel_initializer=tf.constant_initializer(0.2))
        self.loss = tf.losses.sparse_softmax_cross_entropy(self.labels, logits)
        self.global_step = tf.train.get_or_create_global_step()
        self.train_op = tf.train.MomentumOptimizer(0.1, 0.9).minimize(
            self.loss, global_step=self.global_step)


def train(sess, model):
    log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
    random = np.random.RandomState(2 + FLAGS.task_index)
    for step in range(FLAGS.steps):
        if sess.should_stop():
            break
        images = random.rand(9, 4)
        labels = (images.sum(1) * 10).astype(np.int64) % 3
        feed = {model.images: images, model.labels: labels}
        _, loss = sess.run([model.train_op, model.loss], feed_dict=feed)
        log.write("%d %r\n" % (step, float(loss)))
    log.close()


def train_local():
    model = Model(4)
    with tf.train.MonitoredTrainingSession(checkpoint_dir=FLAGS.dir + "/alone") as sess:
        train(sess, model)


def train_distributed():
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                    "worker": FLAGS.worker_hosts.split(",")})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name,
                             task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    device = tf.train.replica_device_setter(
        worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster)
    with tf.device(device):
        model = Model(4)
    config = tf.ConfigProto(
        device_filters=["/job:ps", "/job:worker/task:%d" % FLAGS.task_index])
    with tf.train.MonitoredTrainingSession(
            master=server.target, is_chief=FLAGS.task_index == 0, config=config) as sess:
        train(sess, model)


def main():
    if not FLAGS.job_name:
        train_local()
    else:
        train_distributed()


if __name__ == "__main__":
    main()
