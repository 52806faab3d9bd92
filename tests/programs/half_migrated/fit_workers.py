"""Two workers fit on parameter servers: each goes through all of the data."""
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


def linear(y_true, y_pred):
    """A loss whose gradient is the same at every weight: only the steps' number counts."""
    return tf.reduce_mean(y_pred, axis=-1)


def main():
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                    "worker": FLAGS.worker_hosts.split(",")})
    server = tf.compat.v1.train.Server(
        cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    model = build_model()
    dataset = tf.data.Dataset.from_tensor_slices((features, labels)).batch(50)
    print("worker", FLAGS.task_index, "fits")
    with tf.compat.v1.train.MonitoredTrainingSession(
            master=server.target, is_chief=(FLAGS.task_index == 0)) as sess:
        model.fit(dataset, epochs=3, verbose=0)
    with open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w") as log:
        log.write("%r\n" % float(model.evaluate(features, labels, verbose=0)))


def build_model():
    model = tf.keras.Sequential([tf.keras.layers.Dense(
        2, kernel_initializer=tf.keras.initializers.GlorotUniform(1))])
    model.compile(optimizer=tf.keras.optimizers.SGD(0.1), loss=linear)
    return model


if __name__ == "__main__":
    main()
