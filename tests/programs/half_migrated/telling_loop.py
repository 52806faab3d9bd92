"""The loop counts, keeps time and tells, before its step, within it and after it."""
import argparse
import time

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--ps_hosts", default="")
parser.add_argument("--worker_hosts", default="")
parser.add_argument("--job_name", default="")
parser.add_argument("--task_index", type=int, default=0)
parser.add_argument("--dir", default="/tmp/train")
parser.add_argument("--label_smoothing", type=float, default=0.0)
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

dataset = tf.data.Dataset.from_tensor_slices((features, labels)).batch(16).repeat(3)
model = tf.keras.Sequential([
    tf.keras.layers.Dense(8, activation="relu",
                          kernel_initializer=tf.keras.initializers.GlorotUniform(1)),
    tf.keras.layers.Dense(2, kernel_initializer=tf.keras.initializers.GlorotUniform(2))])
optimizer = tf.keras.optimizers.Adam(0.05)
loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
smooth = FLAGS.label_smoothing > 0

batches = iter(dataset)
losses = []
global_step = 0
examples = 0
with tf.compat.v1.train.MonitoredTrainingSession(
        master=server.target, is_chief=(FLAGS.task_index == 0)) as sess:
    while not sess.should_stop():
        x, y = next(batches)
        started = time.time()
        global_step += 1
        with tf.GradientTape() as tape:
            logits = model(x, training=True)
            loss = loss_fn(y, logits)
            if smooth:
                loss = loss + FLAGS.label_smoothing * tf.reduce_mean(
                    loss_fn(y, -logits))
        losses.append(float(loss))
        examples += len(losses)
        if global_step % 5 == 0:
            print("step %d: loss %.4f" % (global_step, loss.numpy()))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        if global_step % 5 == 0:
            print("Local step", global_step, "took", time.time() - started)
        if global_step >= 12:
            break
assert examples == sum(range(13))
with open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w") as log:
    log.writelines("%r\n" % value for value in losses)
