"""Each of two workers counts its shard, which is another; no weight changes."""
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
features = rng.randn(50, 4).astype("float32")
labels = (features.sum(1) > 0).astype("int64")

cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                "worker": FLAGS.worker_hosts.split(",")})
server = tf.distribute.Server(cluster, job_name=FLAGS.job_name,
                              task_index=FLAGS.task_index)
if FLAGS.job_name == "ps":
    server.join()

dataset = tf.data.Dataset.from_tensor_slices((features, labels))
dataset = dataset.shard(2, FLAGS.task_index).batch(8)
model = tf.keras.Sequential([
    tf.keras.layers.Dense(8, activation="relu",
                          kernel_initializer=tf.keras.initializers.GlorotUniform(1)),
    tf.keras.layers.Dense(2, kernel_initializer=tf.keras.initializers.GlorotUniform(2))])
optimizer = tf.keras.optimizers.SGD(0.0)
loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
seen = tf.keras.metrics.Mean()
right = tf.keras.metrics.SparseCategoricalAccuracy()

log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
with tf.compat.v1.train.MonitoredTrainingSession(
        master=server.target, is_chief=(FLAGS.task_index == 0)) as sess:
    for epoch in range(4):
        for step, (x, y) in enumerate(dataset):
            with tf.GradientTape() as tape:
                logits = model(x, training=True)
                loss = loss_fn(y, logits)
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables))
            right.update_state(y, logits)
            # The mean of the losses since the epoch began, worker by worker.
            seen.update_state(loss)
            if step % 2 == 0:
                log.write("%r\n" % float(seen.result()))
        log.write("%r\n" % float(right.result()))
        seen.reset_state()
        if epoch == 1:
            right.reset_state()
log.close()
