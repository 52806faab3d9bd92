"""D104: the loss of a replica divided by its own part of the batch."""
import sys

import numpy as np
import tensorflow as tf
import tf_keras

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
replicas = int(sys.argv[2]) if len(sys.argv) > 2 else 2
strategy = tf.distribute.MirroredStrategy(["/cpu:%d" % i for i in range(replicas)])
rng = np.random.RandomState(0)
xs = rng.randn(32, 4).astype(np.float32)
dataset = tf.data.Dataset.from_tensor_slices((xs, xs.sum(1))).batch(8)

with strategy.scope():
    w = tf.Variable(tf.zeros([4, 1]))
    optimizer = tf_keras.optimizers.legacy.SGD(0.05)
    loss_object = tf_keras.losses.MeanSquaredError(
        reduction=tf_keras.losses.Reduction.NONE)


def train_step(x, y):
    with tf.GradientTape() as tape:
        per_example_loss = loss_object(y[:, tf.newaxis], tf.matmul(x, w))
        loss = tf.reduce_mean(per_example_loss)
    optimizer.apply_gradients([(tape.gradient(loss, w), w)])


for step, (x, y) in enumerate(strategy.experimental_distribute_dataset(dataset)):
    strategy.run(train_step, args=(x, y))
    log.write("%d %r\n" % (step, float(w.numpy().sum())))
log.close()
