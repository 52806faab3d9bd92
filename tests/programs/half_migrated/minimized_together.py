"""Workers alone; batches are drawn by row numbers, and minimize updates."""
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



cluster = tf.train.ClusterSpec({"worker": FLAGS.worker_hosts.split(",")})
server = tf.distribute.Server(cluster, job_name="worker", task_index=FLAGS.task_index)

model = tf.keras.Sequential([
    tf.keras.layers.Dense(8, activation="relu",
                          kernel_initializer=tf.keras.initializers.GlorotUniform(1)),
    tf.keras.layers.Dense(2, kernel_initializer=tf.keras.initializers.GlorotUniform(2))])
optimizer = tf.keras.optimizers.SGD(0.2)
loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def train_step(x, y):
    def objective():
        # The mean over the batch.
        logits = model(x, training=True)
        return loss_fn(y, logits)

    optimizer.minimize(objective, model.trainable_variables)


np.random.seed(3)
losses = []
with tf.compat.v1.train.MonitoredTrainingSession(
        master=server.target, is_chief=(FLAGS.task_index == 0)) as sess:
    for step in range(10):
        rows = np.random.choice(len(x_train), 7)
        train_step(tf.constant(x_train[rows]), tf.constant(y_train[rows], dtype=tf.int32))
        logits = model(x_train)
        losses.append(float(tf.reduce_mean(loss_fn(y_train, logits))))
with open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w") as log:
    log.writelines("%r\n" % value for value in losses)
