import argparse
import os
import sys

import numpy as np
import tensorflow as tf

FLAGS = None


class ConvNet(object):
    """The model, its loss, its train op and its summaries."""

    def __init__(self, num_filters, learning_rate, decay_steps):
        self.num_filters = num_filters
        self.learning_rate = learning_rate
        self.decay_steps = decay_steps
        self.global_step = tf.train.get_or_create_global_step()
        self.add_placeholders()
        self.logits = self.add_prediction_op()
        self.loss = self.add_loss_op(self.logits)
        self.train_op = self.add_training_op(self.loss)
        self.summaries = tf.summary.merge([
            tf.summary.scalar("loss", self.loss),
            tf.summary.histogram("logits", self.logits),
        ])

    def add_placeholders(self):
        self.images = tf.placeholder(tf.float32, [None, 8, 8, 1], "images")
        self.labels = tf.placeholder(tf.float32, [None, 1], "labels")

    def add_prediction_op(self):
        conv = tf.layers.Conv2D(self.num_filters, 3, padding="same",
                                activation=tf.nn.relu,
                                kernel_initializer=tf.truncated_normal_initializer(
                                    stddev=0.2, seed=31),
                                name="conv")
        pool = tf.layers.MaxPooling2D(2, 2)
        flatten = tf.layers.Flatten()
        out = tf.layers.Dense(1, kernel_initializer=tf.glorot_normal_initializer(seed=32),
                              name="out")
        return out(flatten(pool(conv(self.images))))

    def add_loss_op(self, logits):
        return tf.losses.sigmoid_cross_entropy(self.labels, logits, label_smoothing=0.1)

    def add_training_op(self, loss):
        rate = tf.train.cosine_decay_restarts(self.learning_rate, self.global_step,
                                              self.decay_steps)
        optimizer = tf.train.ProximalGradientDescentOptimizer(
            rate, l1_regularization_strength=0.001)
        return optimizer.minimize(loss, global_step=self.global_step)

    def feed(self, images, labels):
        return {self.images: images, self.labels: labels}


def batches(seed, batch_size):
    rng = np.random.RandomState(seed)
    while True:
        images = rng.rand(batch_size, 8, 8, 1)
        labels = images[:, :4].mean(axis=(1, 2)) > images[:, 4:].mean(axis=(1, 2))
        yield images, labels.astype(np.float32)


def main(_):
    ps_hosts = FLAGS.ps_hosts.split(",")
    worker_hosts = FLAGS.worker_hosts.split(",")
    cluster = tf.train.ClusterSpec({"ps": ps_hosts, "worker": worker_hosts})
    server = tf.train.Server(cluster,
                             job_name=FLAGS.job_name,
                             task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    elif FLAGS.job_name == "worker":
        with tf.device(tf.train.replica_device_setter(
                worker_device="/job:worker/task:%d" % FLAGS.task_index,
                cluster=cluster)):
            model = ConvNet(num_filters=3, learning_rate=0.3, decay_steps=8)

        train_dir = os.path.join(FLAGS.dir, "train")
        hooks = [tf.train.StopAtStepHook(last_step=FLAGS.steps)]
        chief_only_hooks = [
            tf.train.SummarySaverHook(save_secs=1, output_dir=train_dir,
                                      summary_op=model.summaries),
            tf.train.ProfilerHook(save_steps=10, output_dir=FLAGS.dir),
            tf.train.LoggingTensorHook([model.loss], every_n_iter=10),
        ]
        is_chief = (FLAGS.task_index == 0)
        data = batches(seed=FLAGS.task_index, batch_size=16)
        with tf.train.MonitoredTrainingSession(
                master=server.target, is_chief=is_chief, checkpoint_dir=train_dir,
                hooks=hooks, chief_only_hooks=chief_only_hooks,
                save_checkpoint_steps=10, save_summaries_secs=30) as mon_sess:
            with open(os.path.join(FLAGS.dir, "loss.%d" % FLAGS.task_index), "w") as log:
                while not mon_sess.should_stop():
                    images, labels = next(data)
                    results = mon_sess.run(
                        {"train": model.train_op, "loss": model.loss,
                         "step": model.global_step},
                        feed_dict=model.feed(images, labels))
                    log.write("%d %r\n" % (results["step"], float(results["loss"])))
                    log.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.register("type", "bool", lambda v: v.lower() == "true")
    # Flags for defining the tf.train.ClusterSpec
    parser.add_argument("--ps_hosts", type=str, default="", help="host:port pairs")
    parser.add_argument("--worker_hosts", type=str, default="", help="host:port pairs")
    parser.add_argument("--job_name", type=str, default="", help="One of 'ps', 'worker'")
    # Flags for defining the tf.train.Server
    parser.add_argument("--task_index", type=int, default=0, help="Index of task")
    parser.add_argument("--dir", type=str, default="/tmp/train")
    parser.add_argument("--steps", type=int, default=25)
    FLAGS, unparsed = parser.parse_known_args()
    tf.app.run(main=main, argv=[sys.argv[0]] + unparsed)
