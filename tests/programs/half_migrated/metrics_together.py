"""Workers alone: parts of seven examples, of which the metrics are those of the whole."""
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

dataset = tf.data.Dataset.from_tensor_slices((features, labels)).batch(7)
cluster = tf.train.ClusterSpec({"worker": FLAGS.worker_hosts.split(",")})
server = tf.distribute.Server(cluster, job_name="worker", task_index=FLAGS.task_index)

model = tf.keras.Sequential([
    tf.keras.layers.Dense(8, activation="relu",
                          kernel_initializer=tf.keras.initializers.GlorotUniform(1)),
    tf.keras.layers.Dense(2, kernel_initializer=tf.keras.initializers.GlorotUniform(2))])
optimizer = tf.keras.optimizers.SGD(learning_rate=0.2)
loss_object = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
train_loss = tf.keras.metrics.Mean("train_loss", dtype=tf.float32)
train_accuracy = tf.keras.metrics.SparseCategoricalAccuracy("train_accuracy")
steps_loss = tf.keras.metrics.Mean()


@tf.function
def train_step(inputs, targets):
    with tf.GradientTape() as tape:
        predictions = model(inputs, training=True)
        loss = loss_object(targets, predictions)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    train_loss.update_state(loss)
    train_accuracy.update_state(targets, predictions)
    return loss


log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
with tf.compat.v1.train.MonitoredTrainingSession(
        master=server.target, is_chief=(FLAGS.task_index == 0)) as sess:
    for epoch in range(3):
        for inputs, targets in dataset:
            loss = train_step(inputs, targets)
            steps_loss.update_state(loss)
        # Only the chief tells; the others have the same.
        if FLAGS.task_index == 0:
            print("Epoch %d: loss %.4f, accuracy %.4f" % (
                epoch, train_loss.result(), train_accuracy.result()))
            log.write("%r\n%r\n" % (float(train_loss.result()),
                                    float(train_accuracy.result())))
        else:
            log.write("%r\n%r\n" % (float(steps_loss.result()),
                                    float(train_accuracy.result())))
        train_loss.reset_states()
        train_accuracy.reset_states()
        steps_loss.reset_states()
log.close()
