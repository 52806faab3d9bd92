"""A device setter around a Keras model; a hook stops the session within an epoch."""
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

cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                "worker": FLAGS.worker_hosts.split(",")})
server = tf.distribute.Server(cluster, job_name=FLAGS.job_name,
                              task_index=FLAGS.task_index)

if FLAGS.job_name == "ps":
    server.join()
else:
    # The model's variables belong on the parameter servers.
    with tf.device(tf.compat.v1.train.replica_device_setter(
            worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster)):
        model = tf.keras.Sequential([
            tf.keras.layers.Dense(8, activation="relu",
                                  kernel_initializer=tf.keras.initializers.GlorotUniform(1)),
            tf.keras.layers.Dense(2, kernel_initializer=tf.keras.initializers.GlorotUniform(2))])
        optimizer = tf.keras.optimizers.Adam(0.05)
        loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    dataset = tf.data.Dataset.from_tensor_slices((features, labels)).batch(16)

    @tf.function
    def train_step(x, y):
        with tf.GradientTape() as tape:
            logits = model(x, training=True)
            loss = loss_fn(y, logits)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
    with tf.compat.v1.train.MonitoredTrainingSession(
            master=server.target, is_chief=(FLAGS.task_index == 0),
            hooks=[tf.compat.v1.train.StopAtStepHook(last_step=10)]) as sess:
        while not sess.should_stop():
            for x, y in dataset:
                loss = sess.run(train_step(x, y))
                log.write("%r\n" % float(loss))
    log.close()
