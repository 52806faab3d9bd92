"""A trainer's method is the step; its losses are those of another method, too."""
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


class Trainer(object):

    def __init__(self, model, loss_fn, learning_rate=0.05):
        self.model = model
        self.loss_fn = loss_fn
        self.optimizer = tf.keras.optimizers.Adam(learning_rate)

    @tf.function
    def train_step(self, x, y):
        """One update of the weights."""
        with tf.GradientTape() as tape:
            logits = self.model(x, training=True)
            loss = self.loss_fn(y, logits)
        variables = self.model.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    def evaluate(self, x, y):
        return self.loss_fn(y, self.model(x, training=False))


def main():
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                    "worker": FLAGS.worker_hosts.split(",")})
    server = tf.distribute.Server(cluster, job_name=FLAGS.job_name,
                                  task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    with tf.device(tf.compat.v1.train.replica_device_setter(cluster=cluster)):
        model = tf.keras.Sequential([
            tf.keras.layers.Dense(8, activation="relu",
                                  kernel_initializer=tf.keras.initializers.GlorotUniform(1)),
            tf.keras.layers.Dense(2, kernel_initializer=tf.keras.initializers.GlorotUniform(2))])
        loss_object = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        trainer = Trainer(model, loss_object)
    dataset = tf.data.Dataset.from_tensor_slices((x_train, y_train)).batch(16)
    log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
    with tf.compat.v1.train.MonitoredTrainingSession(
            master=server.target, is_chief=(FLAGS.task_index == 0)) as sess:
        for epoch in range(3):
            for x, y in dataset:
                trainer.train_step(x, y)
                log.write("%r\n" % float(trainer.evaluate(x_train, y_train)))
    log.close()


main()
