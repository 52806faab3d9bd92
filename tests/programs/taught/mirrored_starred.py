import sys

import numpy as np
import tensorflow as tf

tf.config.set_logical_device_configuration(
    tf.config.list_physical_devices("CPU")[0],
    [tf.config.LogicalDeviceConfiguration()] * 2)
log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"][:int(sys.argv[2])])
rng = np.random.RandomState(0)
points = rng.rand(40, 5).astype("float32")
kinds = (points.sum(1) > 2.5).astype("int64")


@tf.function
def update(network, adagrad, rows, labels):
    with tf.GradientTape() as tape:
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=labels, logits=network(rows))
    gradients = tape.gradient(loss, network.trainable_weights)
    adagrad.apply_gradients(zip(gradients, network.trainable_weights))
    return loss


def main():
    with strategy.scope():
        network = tf.keras.Sequential()
        network.add(tf.keras.layers.Dense(
            2, kernel_initializer=tf.keras.initializers.GlorotUniform(2)))
        adagrad = tf.keras.optimizers.Adagrad(0.1)
    batches = tf.data.Dataset.from_tensor_slices((points, kinds)).batch(8)
    for _ in range(3):
        for element in batches:
            # 一批数据
            loss = update(network, adagrad, *element)
            log.write("%r\n" % float(loss))
    log.write("%r\n" % float(sum((w.numpy() ** 2).sum() for w in network.trainable_weights)))
    log.close()


main()
