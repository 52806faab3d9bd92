"""model.fit in a session, of a model on parameter servers; validated, evaluated and saved."""
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
elif FLAGS.job_name == "worker":
    with tf.device(tf.compat.v1.train.replica_device_setter(
            worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster)):
        model = tf.keras.models.Sequential([
            tf.keras.layers.Dense(8, activation="relu", input_shape=(4,),
                                  kernel_initializer=tf.keras.initializers.GlorotUniform(1)),
            tf.keras.layers.BatchNormalization(),
            tf.keras.layers.Dense(2, activation="softmax",
                                  kernel_initializer=tf.keras.initializers.GlorotUniform(2))])
        model.compile(optimizer=tf.keras.optimizers.Adam(learning_rate=0.05),
                      loss="sparse_categorical_crossentropy", metrics=["accuracy"])

    is_chief = (FLAGS.task_index == 0)
    with tf.compat.v1.train.MonitoredTrainingSession(
            master=server.target, is_chief=is_chief,
            checkpoint_dir=FLAGS.dir + "/checkpoints") as sess:
        history = model.fit(features[:40], labels[:40], batch_size=16, epochs=3,
                            shuffle=False, validation_data=(features[40:], labels[40:]))
    loss, accuracy = model.evaluate(features, labels, verbose=0)
    if is_chief:
        model.save(FLAGS.dir + "/model.h5")
    with open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w") as log:
        for name in ("loss", "accuracy", "val_loss", "val_accuracy"):
            log.writelines("%r\n" % float(value) for value in history.history[name])
        log.write("%r\n%r\n" % (float(loss), float(accuracy)))
        log.writelines("%r\n" % float(p) for p in model.predict(features[:7])[:, 0])
