"""Hooks, made before there is a graph, that ask for its tensors by the names that it gives them."""
import sys

import numpy as np
import tensorflow as tf


class NamesHook(tf.train.SessionRunHook):
    """Asks every run for the loss and the accuracy."""

    def __init__(self, told):
        self.told = told

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(
            {"step": "global_step:0", "values": ["loss:0", "train/accuracy:0"]})

    def after_run(self, run_context, run_values):
        loss, accuracy = run_values.results["values"]
        print("step %d: %.5f %.3f" % (run_values.results["step"], loss, accuracy), file=self.told)


class GraphHook(tf.train.SessionRunHook):
    """Looks in the graph for what it wants."""

    def __init__(self, told):
        self.told = told

    def begin(self):
        graph = tf.get_default_graph()
        self._largest = graph.get_tensor_by_name("train/largest:0")
        self._weights = graph.get_tensor_by_name("w:0")

    def before_run(self, run_context):
        return tf.train.SessionRunArgs([self._largest, self._weights])

    def after_run(self, run_context, run_values):
        largest, weights = run_values.results
        print("largest %.5f, of w %.5f" % (largest, np.abs(weights).sum()), file=self.told)


def train(directory):
    told = open(directory + "/told.0", "w")

    def formatted(values):
        line = " ".join("%s=%.5f" % (key, values[key]) for key in sorted(values))
        print("logged", line, file=told)
        return line

    logging = tf.train.LoggingTensorHook(
        {"loss": "loss", "largest": "train/largest:0"}, every_n_iter=2, formatter=formatted)
    listed = tf.train.LoggingTensorHook(
        ["train/accuracy", "loss:0"], every_n_iter=3, formatter=formatted)

    rng = np.random.RandomState(0)
    xs = rng.rand(12, 3).astype(np.float32)
    ys = (rng.rand(12, 1) > 0.5).astype(np.float32)
    x = tf.constant(xs)
    y = tf.constant(ys)
    w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.25))
    out = tf.matmul(x, w)
    loss = tf.reduce_mean(tf.square(out - y), name="loss")
    with tf.name_scope("train"):
        hits = tf.cast(tf.equal(out > 0.5, y > 0.5), tf.float32)
        accuracy = tf.reduce_mean(hits, name="accuracy")
        largest = tf.reduce_max(tf.abs(out - y), name="largest")
    global_step = tf.train.get_or_create_global_step()
    train_op = tf.train.MomentumOptimizer(0.2, 0.9).minimize(loss, global_step=global_step)

    with tf.train.MonitoredTrainingSession(
            checkpoint_dir=directory,
            hooks=[tf.train.StopAtStepHook(last_step=8), NamesHook(told), GraphHook(told),
                   logging, listed],
            save_summaries_steps=None) as session:
        while not session.should_stop():
            _, value = session.run([train_op, accuracy])
            print("trained %.3f" % value, file=told)
    told.close()


if __name__ == "__main__":
    train(sys.argv[1].split("=")[1])
