"""A Supervisor of an object's graph, given to a function; its step, its threads, its errors."""
import argparse
import os

import numpy as np
import tensorflow as tf


class Graph(object):
    def __init__(self, is_training=True):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.x = tf.placeholder(tf.float32, [None, 5])
            self.y = tf.placeholder(tf.float32, [None, 1])
            w = tf.get_variable("w", [5, 1], initializer=tf.constant_initializer(0.3))
            self.loss = tf.reduce_mean(tf.square(tf.matmul(self.x, w) - self.y))
            if is_training:
                self.global_step = tf.Variable(0, name="global_step", trainable=False)
                self.optimizer = tf.train.AdamOptimizer(learning_rate=0.01, beta1=0.9,
                                                        beta2=0.98, epsilon=1e-8)
                self.train_op = self.optimizer.minimize(
                    self.loss, global_step=self.global_step)
                tf.summary.scalar("loss", self.loss)
                self.merged = tf.summary.merge_all()


def train_epoch(sv, sess, g, epoch, log):
    """Four steps; the last one's summary."""
    rng = np.random.RandomState(epoch)
    fetch = {"train": g.train_op, "global_step": sv.global_step, "loss": g.loss,
             "summary": g.merged}
    for _ in range(4):
        xs = rng.randn(8, 5)
        results = sess.run(fetch, {g.x: xs, g.y: xs.sum(1, keepdims=True)})
        log.write("%d %r\n" % (results["global_step"], float(results["loss"])))
    sv.summary_computed(sess, results["summary"])
    if epoch == 3:
        raise tf.errors.OutOfRangeError(None, None, "no more epochs")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--dir")
    args = parser.parse_args()
    logdir = os.path.join(args.dir, "logs")
    log = open(os.path.join(args.dir, "loss.0"), "w")
    g = Graph()
    print("Graph loaded")
    sv = tf.train.Supervisor(graph=g.graph, logdir=logdir, save_model_secs=0,
                             summary_op=None)
    with sv.managed_session() as sess:
        threads = sv.start_queue_runners(sess)
        for epoch in range(1, 9):
            if sv.should_stop():
                break
            with sv.stop_on_exception():
                train_epoch(sv, sess, g, epoch, log)
            gs = g.global_step.eval(session=sess)
            sv.saver.save(sess, logdir + "/model_epoch_%02d_gs_%d" % (epoch, gs))
        sv.saver.save(sess, sv.save_path, global_step=sv.global_step)
        sv.coord.join(threads)
    for index, name in enumerate(sorted(os.listdir(logdir))):
        if name.endswith(".index"):
            log.write("%d %d\n" % (1000 + gs, len(name)))
    written = sorted((event.step, value.simple_value)
                     for file in os.listdir(logdir) if file.startswith("events")
                     for event in tf.train.summary_iterator(os.path.join(logdir, file))
                     for value in event.summary.value if value.tag == "loss")
    for step, value in written:
        log.write("%d %r\n" % (2000 + step, value))
    log.close()
    print("Done")
