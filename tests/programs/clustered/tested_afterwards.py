"""A monitored session trains; behind it a plain session on the same server tests."""
import argparse
import sys

import numpy as np
import tensorflow as tf

FLAGS = None


def main(_):
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                    "worker": FLAGS.worker_hosts.split(",")})
    server = tf.train.Server(cluster,
                             job_name=FLAGS.job_name,
                             task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    elif FLAGS.job_name == "worker":
        with tf.device(tf.train.replica_device_setter(
                worker_device="/job:worker/task:%d" % FLAGS.task_index,
                cluster=cluster)):
            x = tf.placeholder(tf.float32, [None, 4])
            y_ = tf.placeholder(tf.float32, [None, 1])
            w = tf.get_variable("w", [4, 1], initializer=tf.constant_initializer(0.1))
            loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y_))
            worst = tf.reduce_max(tf.abs(tf.matmul(x, w) - y_))
            global_step = tf.train.get_or_create_global_step()
            train_op = tf.train.AdamOptimizer(0.05).minimize(
                loss, global_step=global_step)

        config = tf.ConfigProto(log_device_placement=False)
        print(config)
        rng = np.random.RandomState(0)
        log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
        hooks = [tf.train.StopAtStepHook(last_step=20)]
        with tf.train.MonitoredTrainingSession(master=server.target,
                                               is_chief=(FLAGS.task_index == 0),
                                               checkpoint_dir=None,
                                               config=config,
                                               hooks=hooks) as mon_sess:
            step = 0
            while not mon_sess.should_stop():
                xs = rng.randn(10, 4)
                _, value = mon_sess.run([train_op, loss],
                                        {x: xs, y_: xs.sum(1, keepdims=True)})
                step += 1
                log.write("%d %r\n" % (step, float(value)))

        # The variables are still on the server.
        with tf.Session(target=server.target) as sess:
            xs = rng.randn(50, 4)
            feed = {x: xs, y_: xs.sum(1, keepdims=True)}
            log.write("21 %r\n" % float(sess.run(worst, feed_dict=feed)))
            log.write("22 %r\n" % float(loss.eval(feed)))
        log.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ps_hosts", type=str, default="")
    parser.add_argument("--worker_hosts", type=str, default="")
    parser.add_argument("--job_name", type=str, default="")
    parser.add_argument("--task_index", type=int, default=0)
    parser.add_argument("--dir", type=str, default="/tmp/train")
    FLAGS, unparsed = parser.parse_known_args()
    tf.app.run(main=main, argv=[sys.argv[0]] + unparsed)
