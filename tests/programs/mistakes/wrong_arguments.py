"""D142: a batch given as one argument to a step that takes its two parts."""
import sys

import numpy as np
import tensorflow as tf
import tf_keras

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
replicas = int(sys.argv[2]) if len(sys.argv) > 2 else 2
strategy = tf.distribute.MirroredStrategy(["/cpu:%d" % i for i in range(replicas)])
rng = np.random.RandomState(0)
xs = rng.randn(32, 4).astype(np.float32)
dataset = tf.data.Dataset.from_tensor_slices((xs, xs.sum(1)))
dataset = dataset.batch(8)

with strategy.scope():
    w = tf.Variable(tf.zeros([4, 1]))
    optimizer = tf_keras.optimizers.legacy.SGD(0.05)


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        error = tf.square(tf.matmul(x, w)[:, 0] - y)
        loss = tf.nn.compute_average_loss(error)
    optimizer.apply_gradients([(tape.gradient(loss, w), w)])
    return loss


for step, batch in enumerate(strategy.experimental_distribute_dataset(dataset)):
    strategy.run(train_step, args=(batch,))
    log.write("%d %r\n" % (step, float(w.numpy().sum())))
log.close()
