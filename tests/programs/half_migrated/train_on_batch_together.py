"""Workers alone; a compiled model's train_on_batch, whose results are kept as a list."""

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

cluster = tf.train.ClusterSpec({"worker": FLAGS.worker_hosts.split(",")})
server = tf.distribute.Server(cluster, job_name="worker", task_index=FLAGS.task_index)


def create_model():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(
                8,
                activation="relu",
                kernel_initializer=tf.keras.initializers.GlorotUniform(1),
                kernel_regularizer=tf.keras.regularizers.l2(0.01),
            ),
            tf.keras.layers.Dense(
                2, kernel_initializer=tf.keras.initializers.GlorotUniform(2)
            ),
        ]
    )
    return model


model = create_model()
model.compile(
    "sgd",
    tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)

with tf.compat.v1.train.MonitoredTrainingSession(
    master=server.target, is_chief=(FLAGS.task_index == 0)
) as sess:
    with open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w") as log:
        for epoch in range(3):
            start = 0
            while start < len(x_train):
                batch_x = x_train[start : start + batch_size].astype("float32")
                batch_y = y_train[start : start + batch_size]
                start += batch_size
                result = model.train_on_batch(batch_x, batch_y)
                if start % 10 == 0:
                    print("Epoch", epoch, "loss", result[0])
                log.writelines("%r\n" % float(value) for value in result)
