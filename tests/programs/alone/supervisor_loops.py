"""What a Supervisor calls by time beside the training: what it fetches, logs and writes."""
import argparse
import functools
import os
import threading
import time

import numpy as np
import tensorflow as tf


def log_hook(sess, log_fetches, lock, seen, log):
    """Logs every step once."""
    with lock:  # Not in the middle of a step.
        data = sess.run(log_fetches)
        step, norm = data["step"], data["norm"]
        if int(step) not in seen:
            log.write("%d %r\n" % (1000 + step, float(norm)))
            seen.append(int(step))


# Fetch and write summaries that are not among the usual ones.
def my_additional_summaries(sv, sess, summary_op, lock, done, every=5):
    with lock:
        step = sess.run(sv.global_step)
        if step % every == 0:
            sv.summary_computed(sess, sess.run(summary_op))
        done.append(int(step))


def largest_weight(sess, w, lock, found):
    with lock:
        w = np.abs(sess.run(w)).max()
    found.append(float(w))


def main(args):
    rng = np.random.RandomState(3)
    x = tf.placeholder(tf.float32, [None, 5])
    y = tf.placeholder(tf.float32, [None, 1])
    w = tf.get_variable("w", [5, 1], initializer=tf.constant_initializer(0.3))
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
    norm = tf.reduce_mean(tf.square(w))
    global_step = tf.Variable(0, trainable=False, name="global_step")
    train_op = tf.train.MomentumOptimizer(0.05, 0.9).minimize(
        loss, global_step=global_step)
    additional = tf.summary.merge([tf.summary.scalar("norm", norm),
                                   tf.summary.histogram("weights", w)])
    log_fetches = {"norm": norm, "step": global_step}
    logdir = os.path.join(args.dir, "logs")
    log = open(os.path.join(args.dir, "loss.0"), "w")
    lock, seen, done, found = threading.Lock(), [], [], []

    sv = tf.train.Supervisor(logdir=logdir, summary_op=None, save_model_secs=600)
    with sv.managed_session() as sess:
        sv.loop(0.01, log_hook, (sess, log_fetches, lock, seen, log))
        sv.loop(0.01, my_additional_summaries, args=(sv, sess, additional, lock, done))
        sv.loop(0.02, functools.partial(largest_weight, sess, w, lock, found))
        step = 0
        while not sv.should_stop():
            while not (step in seen and step in done and found):
                time.sleep(0.01)
            if step >= 12:
                sv.request_stop()
                break
            with lock:
                xs = rng.randn(10, 5)
                _, value, step = sess.run(
                    [train_op, loss, global_step],
                    {x: xs, y: xs.sum(1, keepdims=True)})
                step = sess.run(global_step)
                log.write("%d %r\n" % (step, float(value)))
    # By now the threads have ended.
    written = sorted({(event.step, value.simple_value)
                      for file in os.listdir(logdir) if file.startswith("events")
                      for event in tf.train.summary_iterator(os.path.join(logdir, file))
                      for value in event.summary.value if value.tag == "norm"})
    for step, value in written:
        log.write("%d %r\n" % (2000 + step, value))
    log.write("%d %r\n" % (3000, found[0]))
    log.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--dir")
    main(parser.parse_args())
