"""An iterator that is drawn from; hooks end the loop, save and count."""
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

jobs = {"ps": FLAGS.ps_hosts.split(","), "worker": FLAGS.worker_hosts.split(",")}
cluster = tf.train.ClusterSpec(jobs)
server = tf.distribute.Server(cluster, FLAGS.job_name, FLAGS.task_index)

if FLAGS.job_name == "ps":
    server.join()
elif FLAGS.job_name == "worker":
    dataset = tf.data.Dataset.from_tensor_slices((features, labels)).batch(16).repeat()
    with tf.device(tf.compat.v1.train.replica_device_setter(cluster=cluster)):
        model = tf.keras.Sequential([
            tf.keras.layers.Dense(8, activation="relu",
                                  kernel_initializer=tf.keras.initializers.GlorotUniform(1)),
            tf.keras.layers.Dense(2, kernel_initializer=tf.keras.initializers.GlorotUniform(2))])
        optimizer = tf.optimizers.Adam(0.05)
        loss_fn = tf.losses.SparseCategoricalCrossentropy(from_logits=True)

    @tf.function
    def train_step(batch):
        x, y = batch
        with tf.GradientTape() as tape:
            loss = loss_fn(y, model(x))
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    batches = iter(dataset)
    hooks = [tf.compat.v1.train.StopAtStepHook(last_step=12),
             tf.compat.v1.train.CheckpointSaverHook(FLAGS.dir + "/checkpoints", save_steps=5),
             tf.compat.v1.train.StepCounterHook(every_n_steps=4,
                                                output_dir=FLAGS.dir + "/checkpoints")]
    log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
    with tf.compat.v1.train.MonitoredTrainingSession(
            master=server.target, is_chief=(FLAGS.task_index == 0), hooks=hooks) as sess:
        while not sess.should_stop():
            batch = next(batches)
            loss = sess.run(train_step(batch))
            log.write("%r\n" % float(loss))
    log.close()
