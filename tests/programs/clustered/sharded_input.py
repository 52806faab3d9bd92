"""Each worker reads its own shard of a dataset; two workers; next() on a generator too."""
import argparse
import numpy as np
import tensorflow as tf

p = argparse.ArgumentParser()
for name in ("ps_hosts", "worker_hosts", "job_name", "dir"):
    p.add_argument("--" + name)
p.add_argument("--task_index", type=int)
a = p.parse_args()
task = a.task_index
workers = a.worker_hosts.split(",")


def noise():
    r = np.random.RandomState(9)
    while True:
        yield r.rand(1).astype("float32")


cluster = tf.train.ClusterSpec({"ps": a.ps_hosts.split(","), "worker": workers})
server = tf.train.Server(cluster, job_name=a.job_name, task_index=task)
if a.job_name == "ps":
    server.join()
elif a.job_name == "worker":
    with tf.device(tf.train.replica_device_setter(cluster=cluster)):
        data = tf.data.Dataset.range(40)
        data = data.shard(len(workers), task)
        data = data.map(lambda i: tf.cast(i, tf.float32) / 40.0).batch(5)
        values = data.make_one_shot_iterator().get_next()
        shift = tf.placeholder(tf.float32, [1])
        v = tf.Variable([0.5], name="v")
        step = tf.train.get_or_create_global_step()
        loss = tf.reduce_mean(tf.abs(values - v + 0.0 * shift))
        train = tf.train.ProximalAdagradOptimizer(0.05).minimize(loss, step)
    stream = noise()
    log = open("%s/loss.%d" % (a.dir, task), "w")
    with tf.train.MonitoredTrainingSession(master=server.target, is_chief=(task == 0)) as sess:
        while not sess.should_stop():
            _, seen, value = sess.run([train, values, loss], {shift: next(stream)})
            log.write("%d %r\n" % (int(round(seen[0] * 40)), float(value)))
            log.flush()
