"""Workers alone: a sum over the batch by hand, gradients clipped, seven to a batch."""
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

BATCH = 7


class Net(tf.keras.Model):

    def __init__(self):
        super().__init__()
        self.hidden = tf.keras.layers.Dense(
            8, activation="relu", kernel_initializer=tf.keras.initializers.GlorotUniform(1))
        self.out = tf.keras.layers.Dense(
            2, kernel_initializer=tf.keras.initializers.GlorotUniform(2))

    def call(self, x, training=False):
        return self.out(self.hidden(x))


def make_dataset():
    return tf.data.Dataset.from_tensor_slices((features, labels)).batch(BATCH)


def main():
    cluster = tf.train.ClusterSpec({"worker": FLAGS.worker_hosts.split(",")})
    server = tf.distribute.Server(cluster, job_name="worker",
                                  task_index=FLAGS.task_index)
    net = Net()
    sgd = tf.keras.optimizers.SGD(0.5, momentum=0.9)
    loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(
        from_logits=True, reduction=tf.keras.losses.Reduction.NONE)
    data = make_dataset()

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(loss_fn(y, net(x, training=True))) * (1.0 / 7)
        grads = tape.gradient(loss, net.trainable_variables)
        grads, _ = tf.clip_by_global_norm(grads, 0.5)
        sgd.apply_gradients(zip(grads, net.trainable_variables))
        return loss

    log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
    with tf.compat.v1.train.MonitoredTrainingSession(
            server.target, FLAGS.task_index == 0) as sess:
        for epoch in range(2):
            for x, y in data:
                log.write("%r\n" % float(sess.run(step(x, y))))
    log.close()


main()
