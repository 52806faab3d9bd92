import sys

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

tf.config.set_logical_device_configuration(
    tf.config.list_physical_devices("CPU")[0],
    [tf.config.LogicalDeviceConfiguration()] * 2)
log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"][:int(sys.argv[2])])
rng = np.random.RandomState(0)
points = rng.rand(40, 5).astype("float32")
kinds = (points.sum(1) > 2.5).astype("int64")
crossentropy = keras.losses.SparseCategoricalCrossentropy(
    from_logits=True, reduction="none")


def train_one(model, features, target, optimizer=None):
    with tf.GradientTape() as tape:
        per_example = crossentropy(target, model(features, training=True))
        loss = tf.reduce_mean(per_example)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss


with strategy.scope():
    inputs = keras.Input((5,))
    hidden = layers.Dense(6, activation="relu",
                          kernel_initializer=keras.initializers.GlorotUniform(1))(inputs)
    model = keras.Model(inputs, layers.Dense(
        2, kernel_initializer=keras.initializers.GlorotUniform(2))(hidden))
    optimizer = keras.optimizers.Adam(0.02)

dataset = tf.data.Dataset.from_tensor_slices((points, kinds)).batch(8)
for epoch in range(3):
    for number, batch in enumerate(dataset):
        features, target = batch
        loss = train_one(model, features, target, optimizer=optimizer)
        log.write("%r\n" % float(loss))
log.write("%r\n" % float(sum((w.numpy() ** 2).sum() for w in model.trainable_variables)))
log.close()
