"""D141: a training step called outside strategy.run."""
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


def train_step(x, y):
    with tf.GradientTape() as tape:
        error = tf.square(tf.matmul(x, w)[:, 0] - y)
        loss = tf.nn.compute_average_loss(error)
    optimizer.apply_gradients([(tape.gradient(loss, w), w)])


for step, (x, y) in enumerate(dataset):
    train_step(x, y)
    # Of the last replica's variables: all of them are to be the same.
    log.write("%d %r\n" % (step, float(w.values[-1].numpy().sum())))
log.close()
