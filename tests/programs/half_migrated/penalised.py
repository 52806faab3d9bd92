"""Workers alone: a mean with a penalty on the weights; Keras under its own name."""
import argparse

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras.layers import Dense

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

cluster = tf.train.ClusterSpec({"worker": FLAGS.worker_hosts.split(",")})
server = tf.distribute.Server(cluster, job_name="worker", task_index=FLAGS.task_index)
model = keras.Sequential([
    Dense(8, activation="relu", kernel_regularizer=keras.regularizers.l2(0.01),
          kernel_initializer=keras.initializers.GlorotUniform(1)),
    Dense(2, kernel_initializer=keras.initializers.GlorotUniform(2))])
optimizer = keras.optimizers.RMSprop(0.01)
mse = keras.losses.MeanSquaredError()
dataset = tf.data.Dataset.from_tensor_slices(
    (features, tf.one_hot(labels, 2))).batch(16)
log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
with tf.compat.v1.train.MonitoredTrainingSession(
        master=server.target, is_chief=(FLAGS.task_index == 0)) as sess:
    for epoch in range(3):
        for x, y in dataset:
            with tf.GradientTape() as tape:
                loss = mse(y, model(x, training=True))
                loss += sum(model.losses)
            grads = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(grads, model.trainable_variables))
            log.write("%r\n" % float(loss))
log.close()
