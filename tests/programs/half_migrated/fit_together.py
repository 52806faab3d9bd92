"""Workers alone: a fit beside a server, without a session; shuffled, and told by a callback."""
import argparse

import numpy as np
import tensorflow as tf
from tensorflow import keras

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

inputs = keras.Input((4,))
hidden = keras.layers.Dense(8, activation="relu",
                            kernel_initializer=keras.initializers.GlorotUniform(1))(inputs)
outputs = keras.layers.Dense(2, kernel_initializer=keras.initializers.GlorotUniform(2))(hidden)
model = keras.Model(inputs, outputs)
model.compile(optimizer=keras.optimizers.SGD(0.2, momentum=0.9),
              loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
              metrics=[keras.metrics.SparseCategoricalAccuracy(name="accuracy")])
model.summary()

told = []
epochs = keras.callbacks.LambdaCallback(
    on_epoch_end=lambda epoch, logs: told.append(logs["loss"]))
history = model.fit(features, labels, batch_size=10, epochs=4, shuffle=False,
                    callbacks=[epochs], validation_split=0.2, verbose=2)
if FLAGS.task_index == 0:
    model.save_weights(FLAGS.dir + "/weights.h5")
values = [*told, *history.history["accuracy"], *history.history["val_loss"]]
values += [float(p) for p in model.predict(features[:5], verbose=0)[:, 1]]
with open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w") as log:
    log.writelines("%r\n" % float(value) for value in values)
