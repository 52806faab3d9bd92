"""A client: the servers are started elsewhere, the model by a function."""
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


def build_model():
    inputs = tf.keras.Input(shape=(4,))
    hidden = tf.keras.layers.Dense(
        8, activation="relu", kernel_initializer=tf.keras.initializers.GlorotUniform(1))(inputs)
    outputs = tf.keras.layers.Dense(
        2, kernel_initializer=tf.keras.initializers.GlorotUniform(2))(hidden)
    return tf.keras.Model(inputs, outputs)


def train_step(model, optimizer, loss_fn, x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x, training=True))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss


if FLAGS.job_name != "client":
    # Started by hand in two other terminals.
    import servers
    servers.serve(FLAGS)

cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                "worker": FLAGS.worker_hosts.split(",")})
model = build_model()
optimizer = tf.keras.optimizers.Adam(0.05)
loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
dataset = tf.data.Dataset.from_tensor_slices((features, labels)).batch(16)
with open(FLAGS.dir + "/loss.0", "w") as log:
    with tf.compat.v1.train.MonitoredTrainingSession(
            master="grpc://" + FLAGS.worker_hosts.split(",")[0], is_chief=True) as sess:
        for epoch in range(3):
            for step, (x, y) in enumerate(dataset):
                value = sess.run(train_step(model, optimizer, loss_fn, x, y))
                log.write("%r\n" % float(value))
