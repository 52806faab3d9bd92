import argparse

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--ps_hosts", default="")
parser.add_argument("--worker_hosts", default="")
parser.add_argument("--job_name", default="")
parser.add_argument("--task_index", type=int, default=0)
parser.add_argument("--dir", default="logs/train")
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
dataset = dataset.shuffle(50, seed=7).batch(16)
with tf.device(tf.compat.v1.train.replica_device_setter(cluster=cluster)):
    optimizer = tf.keras.optimizers.Adam(0.05)

@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.keras.losses.sparse_categorical_crossentropy(
            y, model(x, training=True), from_logits=True))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss, tf.shape(x)[0]

seen = 0
told = []
with tf.compat.v1.train.MonitoredTrainingSession(
        master=server.target, is_chief=(FLAGS.task_index == 0)) as sess:
    for epoch in range(3):
        for x, y in dataset:
            loss, count = train_step(x, y)
            seen += int(count)
            told.append(float(loss))
