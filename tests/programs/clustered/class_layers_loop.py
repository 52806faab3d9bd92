"""Layer classes, layers in a loop, Greedy placement, cosine decay, step-count loop."""
import sys
import numpy as np
import tensorflow as tf
from tensorflow.contrib.training import GreedyLoadBalancingStrategy, byte_size_load_fn

FLAGS = tf.app.flags.FLAGS
for flag in ("ps_hosts", "worker_hosts", "job_name", "dir"):
    tf.app.flags.DEFINE_string(flag, "", flag)
tf.app.flags.DEFINE_integer("task_index", 0, "task")
tf.app.flags.DEFINE_integer("max_steps", 10, "steps")


def build_cluster():
    return {"ps": FLAGS.ps_hosts.split(","), "worker": FLAGS.worker_hosts.split(",")}


def main(_):
    hosts = build_cluster()
    cluster = tf.train.ClusterSpec(hosts)
    config = tf.ConfigProto(inter_op_parallelism_threads=8)
    server = tf.train.Server(cluster, job_name=FLAGS.job_name,
                             task_index=FLAGS.task_index, config=config)
    if FLAGS.job_name == "ps":
        server.join()
    strategy_fn = GreedyLoadBalancingStrategy(len(hosts["ps"]), byte_size_load_fn)
    device_fn = tf.train.replica_device_setter(
        cluster=cluster, ps_strategy=strategy_fn,
        worker_device="/job:worker/task:%d" % FLAGS.task_index)
    with tf.device(device_fn):
        global_step = tf.train.get_or_create_global_step()
        x = tf.placeholder(tf.float32, [None, 3])
        y = tf.placeholder(tf.int64, [None])
        net = x
        for i in range(2):
            net = tf.layers.dense(net, 6, activation=tf.nn.relu, name="fc%d" % i)
        head = tf.layers.Dense(2, name="head")
        logits = head(net)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=y, logits=logits))
        lr = tf.train.cosine_decay(0.1, global_step, 50)
        train_op = tf.train.FtrlOptimizer(0.1).minimize(loss, global_step=global_step)
        accuracy = tf.reduce_mean(tf.to_float(tf.nn.in_top_k(logits, y, 1)))
    rng = np.random.RandomState(2)
    data = rng.rand(90, 3).astype(np.float32)
    target = (data[:, 0] > data[:, 1]).astype(np.int64)
    with tf.train.MonitoredTrainingSession(
            master=server.target, is_chief=(FLAGS.task_index == 0),
            checkpoint_dir=FLAGS.dir + "/train") as session:
        log = open(FLAGS.dir + "/loss.%d" % FLAGS.task_index, "w")
        step = 0
        while step < FLAGS.max_steps:
            idx = rng.randint(0, 90, 20)
            _, step, l = session.run([train_op, global_step, loss],
                                     feed_dict={x: data[idx], y: target[idx]})
            log.write("%d %r\n" % (step, float(l)))
            log.flush()
        acc, rate = session.run([accuracy, lr], feed_dict={x: data, y: target})
        print("accuracy", acc, "rate", rate)
    sys.exit(0)


if __name__ == "__main__":
    tf.app.run()
