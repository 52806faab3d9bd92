"""Workers alone; an optimizer of tf.compat.v1, which minimizes a lambda in the loop."""

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
server = tf.compat.v1.train.Server(
    cluster, job_name="worker", task_index=FLAGS.task_index
)

model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(
            8,
            activation="relu",
            kernel_initializer=tf.keras.initializers.GlorotUniform(1),
        ),
        tf.keras.layers.Dense(
            2, kernel_initializer=tf.keras.initializers.GlorotUniform(2)
        ),
    ]
)
optimizer = tf.compat.v1.train.MomentumOptimizer(0.2, 0.9)
dataset = tf.data.Dataset.from_tensor_slices((x_train, y_train)).batch(16)


def compute_loss(x, y):
    return tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=y, logits=model(x, training=True)
        )
    )


losses = []
with tf.compat.v1.Session(server.target) as sess:
    for epoch in range(3):
        for x, y in dataset:
            optimizer.minimize(
                lambda: compute_loss(x, y), var_list=lambda: model.trainable_variables
            )
            losses.append(float(compute_loss(x_train, y_train)))
with open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w") as log:
    log.writelines("%r\n" % value for value in losses)
