"""Workers alone: a flag chooses the loss, and the step tells that it is traced."""
import argparse

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--ps_hosts", default="")
parser.add_argument("--worker_hosts", default="")
parser.add_argument("--job_name", default="")
parser.add_argument("--task_index", type=int, default=0)
parser.add_argument("--dir", default="/tmp/train")
parser.add_argument("--l2", type=float, default=0.01)
FLAGS, _ = parser.parse_known_args()

rng = np.random.RandomState(0)
features = rng.randn(50, 4).astype("float32")
labels = (features.sum(1) > 0).astype("int64")

USE_L2 = True
dataset = tf.data.Dataset.from_tensor_slices((features, labels)).batch(16)
cluster = tf.train.ClusterSpec({"worker": FLAGS.worker_hosts.split(",")})
server = tf.distribute.Server(cluster, job_name="worker", task_index=FLAGS.task_index)

model = tf.keras.Sequential([
    tf.keras.layers.Dense(8, activation="relu",
                          kernel_regularizer=tf.keras.regularizers.l2(FLAGS.l2),
                          kernel_initializer=tf.keras.initializers.GlorotUniform(1)),
    tf.keras.layers.Dense(2, kernel_initializer=tf.keras.initializers.GlorotUniform(2))])
optimizer = tf.keras.optimizers.RMSprop(0.01)


@tf.function
def train_step(inputs, targets):
    print("tracing the step of worker", inputs.shape)
    with tf.GradientTape() as tape:
        predictions = model(inputs, training=True)
        error = tf.square(predictions - tf.one_hot(targets, 2))
        loss = tf.reduce_mean(error)
        if USE_L2:
            loss += sum(model.losses)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    tf.print("loss", loss)
    return loss


log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
with tf.compat.v1.train.MonitoredTrainingSession(
        master=server.target, is_chief=(FLAGS.task_index == 0)) as sess:
    step = 0
    for epoch in range(3):
        for inputs, targets in dataset:
            loss = train_step(inputs, targets)
            step += 1
            log.write("%r\n" % float(loss))
            if step % 4 == 0:
                print("Epoch {}, step {}: {:.4f}".format(epoch, step, float(loss)))
log.close()
