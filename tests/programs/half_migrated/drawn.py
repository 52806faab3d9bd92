"""Each of two workers draws by numpy's own generator which batches it tells of."""
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
np.random.seed(11)
start = np.random.rand()
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


def noise():
    return np.random.uniform(-1, 1)


log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
drawn = np.random.RandomState(12)
with tf.compat.v1.train.MonitoredTrainingSession(
        master=server.target, is_chief=(FLAGS.task_index == 0)) as sess:
    for epoch in range(4):
        for step, (x, y) in enumerate(dataset):
            if np.random.rand() < 0.3:
                continue
            with tf.GradientTape() as tape:
                loss = loss_fn(y, model(x, training=True))
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables))
            log.write("%r\n" % (float(loss) + noise() + float(drawn.rand()) + start))
log.close()
