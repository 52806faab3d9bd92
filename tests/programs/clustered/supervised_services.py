"""What a Supervisor had beside its session: summaries, a writer, a saver, a thread."""
import argparse
import time

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--ps_hosts", default="")
parser.add_argument("--worker_hosts", default="")
parser.add_argument("--job_name", default="")
parser.add_argument("--task_index", type=int, default=0)
parser.add_argument("--dir", default="/tmp/train")
FLAGS, _ = parser.parse_known_args()


def alive(beats, what):
    beats.append((what, time.time()))


def main():
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                    "worker": FLAGS.worker_hosts.split(",")})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name,
                             task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    is_chief = FLAGS.task_index == 0
    with tf.device(tf.train.replica_device_setter(
            worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster)):
        x = tf.placeholder(tf.float32, [None, 5])
        y = tf.placeholder(tf.float32, [None, 1])
        w = tf.get_variable("w", [5, 1], initializer=tf.constant_initializer(0.3))
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
        global_step = tf.Variable(0, trainable=False, name="global_step")
        train_op = tf.train.MomentumOptimizer(0.05, 0.9).minimize(
            loss, global_step=global_step)
        tf.summary.scalar("loss", loss)
        summary_op = tf.summary.merge_all()
    beats = []
    sv = tf.train.Supervisor(is_chief=is_chief, logdir=FLAGS.dir + "/logs",
                             summary_op=None, save_model_secs=600,
                             checkpoint_basename="net.ckpt")
    rng = np.random.RandomState(FLAGS.task_index)
    log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
    with sv.managed_session(server.target) as sess:
        sv.loop(0.05, alive, args=(beats, "beat"))
        while not sv.should_stop():
            xs = rng.randn(10, 5)
            _, value, summary, step = sess.run(
                [train_op, loss, summary_op, global_step],
                {x: xs, y: xs.sum(1, keepdims=True)})
            log.write("%d %r\n" % (step, float(value)))
            time.sleep(0.01)
            if is_chief and len(beats) < 2:
                time.sleep(0.1)
            if is_chief and step % 10 == 4:
                sv.summary_computed(sess, summary)
            if is_chief and step % 10 == 7:
                sv.summary_computed(sess, summary, global_step=step)
            if is_chief and step % 10 == 9:
                sv.summary_writer.add_summary(summary, step)
                sv.saver.save(sess, sv.save_path + "-by-hand", global_step=step)
            if step >= 28:
                sv.coord.request_stop()
    sv.stop()
    log.close()
    print("beats:", sorted(set(what for what, _ in beats)), len(beats) > 1)


main()
