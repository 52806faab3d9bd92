"""The graph is a namedtuple that a function returns; another function runs it."""
from collections import namedtuple
import os

import numpy as np
import tensorflow as tf

flags = tf.flags
flags.DEFINE_string("ps_hosts", "", "Comma-separated hosts")
flags.DEFINE_string("worker_hosts", "", "Comma-separated hosts")
flags.DEFINE_string("job_name", "", "ps or worker")
flags.DEFINE_integer("task_index", 0, "Index of the task")
flags.DEFINE_string("dir", "/tmp/train", "Output directory")
FLAGS = flags.FLAGS

Graph = namedtuple("Graph", ["x", "y", "loss", "accuracy", "train_op", "global_step"])


def dense(inputs, units, name, activation=None):
    fan_in = int(inputs.shape[-1])
    with tf.variable_scope(name):
        kernel = tf.get_variable(
            "kernel", shape=[fan_in, units],
            initializer=tf.truncated_normal_initializer(stddev=fan_in ** -0.5, seed=units))
        bias = tf.get_variable("bias", shape=[units],
                               initializer=tf.constant_initializer(0.1))
    outputs = tf.nn.bias_add(tf.matmul(inputs, kernel), bias)
    if activation is not None:
        outputs = activation(outputs)
    return outputs


def make_train_op(loss, global_step, rate=0.1):
    rate = tf.train.exponential_decay(rate, global_step, 10, 0.5, staircase=True)
    optimizer = tf.train.RMSPropOptimizer(rate, decay=0.8)
    tvars = tf.trainable_variables()
    grads, _ = tf.clip_by_global_norm(tf.gradients(loss, tvars), 5.0)
    return optimizer.apply_gradients(zip(grads, tvars), global_step=global_step)


def build_graph(num_features, num_classes):
    x = tf.placeholder(tf.float32, [None, num_features])
    y = tf.placeholder(tf.int64, [None])
    hidden = dense(x, 12, "hidden", activation=tf.nn.relu)
    logits = dense(hidden, num_classes, "logits")
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
    accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), y), tf.float32))
    global_step = tf.train.get_or_create_global_step()
    train_op = make_train_op(loss, global_step)
    return Graph(x=x, y=y, loss=loss, accuracy=accuracy, train_op=train_op,
                 global_step=global_step)


def next_batch(rng, size=16):
    x = rng.randn(size, 5)
    return x, np.argmax(x[:, :3], axis=1)


def run_training(server, cluster, steps):
    is_chief = FLAGS.task_index == 0
    with tf.Graph().as_default():
        with tf.device(tf.train.replica_device_setter(
                worker_device="/job:worker/task:%d" % FLAGS.task_index,
                cluster=cluster)):
            graph = build_graph(num_features=5, num_classes=3)
        rng = np.random.RandomState(FLAGS.task_index)
        with tf.train.MonitoredTrainingSession(
                master=server.target, is_chief=is_chief,
                hooks=[tf.train.StopAtStepHook(last_step=steps)]) as sess, \
                open(os.path.join(FLAGS.dir, "loss.%d" % FLAGS.task_index), "w") as log:
            while not sess.should_stop():
                x, y = next_batch(rng)
                _, (loss, accuracy), extra = sess.run(
                    [graph.train_op, (graph.loss, graph.accuracy), {"step": graph.global_step}],
                    feed_dict={graph.x: x, graph.y: y})
                assert 0.0 <= accuracy <= 1.0
                log.write("%d %r\n" % (extra["step"], float(loss)))
                log.flush()


def main(_):
    ps_hosts = FLAGS.ps_hosts.split(",")
    worker_hosts = FLAGS.worker_hosts.split(",")
    cluster = tf.train.ClusterSpec({"ps": ps_hosts, "worker": worker_hosts})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    else:
        run_training(server, cluster, steps=25)


if __name__ == "__main__":
    tf.app.run()
