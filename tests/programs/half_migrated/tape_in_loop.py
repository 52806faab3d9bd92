"""The tape stands in the loop; the server is TensorFlow 1's by its name."""
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


def main():
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                    "worker": FLAGS.worker_hosts.split(",")})
    server = tf.compat.v1.train.Server(
        cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    model = tf.keras.models.Sequential()
    model.add(tf.keras.layers.Dense(
        8, activation="relu", kernel_initializer=tf.keras.initializers.GlorotUniform(1)))
    model.add(tf.keras.layers.Dense(
        2, kernel_initializer=tf.keras.initializers.GlorotUniform(2)))
    optimizer = tf.keras.optimizers.Adam(0.05)
    dataset = tf.data.Dataset.from_tensor_slices((features, labels))
    dataset = dataset.batch(16)
    steps = 0
    losses = []
    with tf.compat.v1.Session(server.target) as sess:
        for epoch in range(3):
            for x, y in dataset:
                with tf.GradientTape() as tape:
                    logits = model(x, training=True)
                    per_example = tf.nn.sparse_softmax_cross_entropy_with_logits(
                        labels=y, logits=logits)
                    loss = tf.reduce_mean(per_example)
                grads = tape.gradient(loss, model.trainable_weights)
                optimizer.apply_gradients(zip(grads, model.trainable_weights))
                steps += 1
                losses.append(float(loss))
    with open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w") as log:
        log.writelines("%r\n" % value for value in losses)


main()
