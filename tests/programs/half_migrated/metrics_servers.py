"""The quickstart's metrics: counted in the step, told and reset in every epoch; another step tests."""
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
server = tf.compat.v1.train.Server(cluster, job_name=FLAGS.job_name,
                                   task_index=FLAGS.task_index)
if FLAGS.job_name == "ps":
    server.join()

train_ds = tf.data.Dataset.from_tensor_slices((features, labels)).batch(16)
with tf.device(tf.compat.v1.train.replica_device_setter(
        worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster)):
    model = tf.keras.Sequential([
        tf.keras.layers.Dense(8, activation="relu",
                              kernel_initializer=tf.keras.initializers.GlorotUniform(1)),
        tf.keras.layers.Dense(2, kernel_initializer=tf.keras.initializers.GlorotUniform(2))])
    loss_object = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = tf.keras.optimizers.Adam(0.05)

train_loss = tf.keras.metrics.Mean(name="train_loss")
train_accuracy = tf.keras.metrics.SparseCategoricalAccuracy(name="train_accuracy")
test_loss = tf.keras.metrics.Mean(name="test_loss")


@tf.function
def train_step(images, labels):
    with tf.GradientTape() as tape:
        predictions = model(images, training=True)
        loss = loss_object(labels, predictions)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))

    train_loss(loss)
    train_accuracy(labels, predictions)


@tf.function
def test_step(images, labels):
    predictions = model(images, training=False)
    test_loss(loss_object(labels, predictions))


log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
EPOCHS = 3
with tf.compat.v1.train.MonitoredTrainingSession(
        master=server.target, is_chief=(FLAGS.task_index == 0),
        checkpoint_dir=FLAGS.dir + "/checkpoints") as sess:
    for epoch in range(EPOCHS):
        # Reset the metrics at the start of the next epoch
        train_loss.reset_states()
        train_accuracy.reset_states()
        test_loss.reset_states()

        for images, labels in train_ds:
            train_step(images, labels)

        for test_images, test_labels in train_ds:
            test_step(test_images, test_labels)

        template = "Epoch {}, Loss: {}, Accuracy: {}"
        print(template.format(epoch + 1, train_loss.result(),
                              train_accuracy.result() * 100))
        log.write("%r\n%r\n" % (float(train_loss.result()),
                                float(train_accuracy.result().numpy())))
        log.write("%r\n" % float(test_loss.result()))
log.close()
