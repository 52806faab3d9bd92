"""A compiled model's train_on_batch, of batches cut by hand, in a cluster's session."""
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



cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                "worker": FLAGS.worker_hosts.split(",")})
server = tf.compat.v1.train.Server(cluster, job_name=FLAGS.job_name,
                                   task_index=FLAGS.task_index)
if FLAGS.job_name == "ps":
    server.join()
else:
    with tf.device(tf.compat.v1.train.replica_device_setter(
            worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster)):
        model = tf.keras.models.Sequential()
        model.add(tf.keras.layers.Dense(
            8, activation="relu", input_shape=(4,),
            kernel_initializer=tf.keras.initializers.GlorotUniform(1)))
        model.add(tf.keras.layers.Dense(
            2, activation="softmax",
            kernel_initializer=tf.keras.initializers.GlorotUniform(2)))
        model.compile(optimizer=tf.keras.optimizers.Adam(0.05),
                      loss="sparse_categorical_crossentropy", metrics=["accuracy"])

    with open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w") as log:
        with tf.compat.v1.train.MonitoredTrainingSession(
                master=server.target, is_chief=(FLAGS.task_index == 0)) as sess:
            for epoch in range(3):
                for i in range(0, len(x_train), batch_size):
                    loss, accuracy = model.train_on_batch(
                        x_train[i:i + batch_size], y_train[i:i + batch_size])
                    log.write("%r\n%r\n" % (float(loss), float(accuracy)))
