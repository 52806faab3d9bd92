"""A worker object: build() makes the graph of functions that return a dict and a tuple; run() trains."""
import os

import numpy as np
import tensorflow as tf

flags = tf.flags
flags.DEFINE_string("ps_hosts", "", "")
flags.DEFINE_string("worker_hosts", "", "")
flags.DEFINE_string("job_name", "", "")
flags.DEFINE_integer("task_index", 0, "")
flags.DEFINE_string("dir", "/tmp", "")
FLAGS = flags.FLAGS


def model_inputs():
    features = tf.placeholder(tf.float32, [None, 5], name="features")
    labels = tf.placeholder(tf.int32, [None], name="labels")
    return features, labels


def build_model(features, labels, hidden_units=(8, 6)):
    net = features
    for i, units in enumerate(hidden_units):
        net = tf.layers.dense(net, units, activation=tf.nn.relu, name="hidden_%d" % i,
                              kernel_initializer=tf.glorot_uniform_initializer(seed=i + 1))
    logits = tf.layers.dense(net, 2, name="logits", kernel_initializer=tf.glorot_uniform_initializer(seed=9))
    loss = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
    return {"logits": logits, "loss": loss, "probabilities": tf.nn.softmax(logits)}


def make_train_op(loss):
    global_step = tf.train.get_or_create_global_step()
    optimizer = tf.train.AdamOptimizer(0.01)
    train_op = optimizer.minimize(loss, global_step=global_step)
    return train_op, global_step


class Worker(object):
    def __init__(self, server, cluster):
        self.server = server
        self.cluster = cluster
        self.is_chief = FLAGS.task_index == 0

    def build(self):
        with tf.device(tf.train.replica_device_setter(
                worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=self.cluster)):
            self.features, self.labels = model_inputs()
            self.outputs = build_model(self.features, self.labels)
            self.train_op, self.global_step = make_train_op(self.outputs["loss"])

    def run(self):
        rng = np.random.RandomState(7)
        hooks = [tf.train.StopAtStepHook(last_step=12)]
        with tf.train.MonitoredTrainingSession(master=self.server.target, is_chief=self.is_chief, hooks=hooks) as sess:
            log = open(os.path.join(FLAGS.dir, "loss.0"), "w")
            while not sess.should_stop():
                xs = rng.randn(20, 5)
                ys = (xs[:, 0] > 0).astype(np.int32)
                step, loss, _ = sess.run([self.global_step, self.outputs["loss"], self.train_op],
                                         feed_dict={self.features: xs, self.labels: ys})
                log.write("%d %r\n" % (step, float(loss)))
            log.close()


def main(_):
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","), "worker": FLAGS.worker_hosts.split(",")})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    worker = Worker(server, cluster)
    worker.build()
    worker.run()


if __name__ == "__main__":
    tf.app.run()
