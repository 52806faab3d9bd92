"""An epoch whose weights a CheckpointManager saves, and the next run goes on with."""
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

def train_step(model, optimizer, x, y):
    with tf.GradientTape() as tape:
        per_example = tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=y, logits=model(x, training=True))
        loss = tf.reduce_mean(per_example)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss


def main():
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                    "worker": FLAGS.worker_hosts.split(",")})
    server = tf.distribute.Server(cluster, job_name=FLAGS.job_name,
                                  task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    model = tf.keras.Sequential([
        tf.keras.layers.Dense(8, activation="relu",
                              kernel_initializer=tf.keras.initializers.GlorotUniform(1)),
        tf.keras.layers.Dense(2, kernel_initializer=tf.keras.initializers.GlorotUniform(2))])
    optimizer = tf.keras.optimizers.Adam(0.05)
    dataset = tf.data.Dataset.from_tensor_slices((x_train, y_train)).batch(16)
    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)
    manager = tf.train.CheckpointManager(checkpoint, FLAGS.dir + "/saved", max_to_keep=2)
    checkpoint.restore(manager.latest_checkpoint)
    if manager.latest_checkpoint:
        print("Restored from", manager.latest_checkpoint)
    with open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "a") as log:
        with tf.compat.v1.train.MonitoredTrainingSession(
                master=server.target, is_chief=(FLAGS.task_index == 0)) as sess:
            for x, y in dataset:
                loss = train_step(model, optimizer, x, y)
                log.write("%r\n" % float(loss))
            path = manager.save()
            print("Saved to", path)


main()
