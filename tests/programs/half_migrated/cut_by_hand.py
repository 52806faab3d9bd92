"""Batches cut by hand out of arrays, in the order that each worker shuffles."""
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

rng = np.random.RandomState(0)
x_train = rng.randn(50, 4).astype("float32")
y_train = (x_train.sum(1) > 0).astype("int64")
batch_size = 16


def main():
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                    "worker": FLAGS.worker_hosts.split(",")})
    server = tf.distribute.Server(cluster, job_name=FLAGS.job_name,
                                  task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()

    with tf.device(tf.compat.v1.train.replica_device_setter(
            worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster)):
        model = tf.keras.Sequential([
            tf.keras.layers.Dense(8, activation="relu",
                                  kernel_initializer=tf.keras.initializers.GlorotUniform(1)),
            tf.keras.layers.Dense(2, kernel_initializer=tf.keras.initializers.GlorotUniform(2))])
        optimizer = tf.keras.optimizers.Adam(0.05)
        loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    @tf.function
    def train_step(images, labels):
        with tf.GradientTape() as tape:
            logits = model(images, training=True)
            loss = loss_fn(labels, logits)
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
        return loss

    np.random.seed(3)
    order = np.arange(len(x_train))
    log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
    with tf.compat.v1.train.MonitoredTrainingSession(
            master=server.target, is_chief=(FLAGS.task_index == 0)) as sess:
        for epoch in range(3):
            np.random.shuffle(order)
            for start in range(0, len(x_train), batch_size):
                rows = order[start:start + batch_size]
                x_batch = x_train[rows]
                y_batch = y_train[rows]
                loss = train_step(x_batch, y_batch)
                log.write("%r\n" % float(loss))
    log.close()


main()
