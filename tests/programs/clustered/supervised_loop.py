"""A Supervisor's managed session, with a saver, summaries and should_stop."""
import argparse
import sys

import numpy as np
import tensorflow as tf

FLAGS = None


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
            x = tf.placeholder(tf.float32, [None, 5], name="x")
            y_ = tf.placeholder(tf.float32, [None, 1], name="y_")
            w = tf.get_variable("w", [5, 1], initializer=tf.constant_initializer(0.1))
            b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
            loss = tf.losses.mean_squared_error(y_, tf.matmul(x, w) + b)
            global_step = tf.Variable(0, trainable=False, name="global_step")
            train_op = tf.train.AdagradOptimizer(0.05).minimize(
                loss, global_step=global_step)
            saver = tf.train.Saver(max_to_keep=3)
            tf.summary.scalar("loss", loss)
            summary_op = tf.summary.merge_all()
            init_op = tf.global_variables_initializer()

        # Create a "supervisor", which oversees the training process.
        sv = tf.train.Supervisor(is_chief=(FLAGS.task_index == 0),
                                 logdir=FLAGS.dir + "/logs",
                                 init_op=init_op,
                                 summary_op=None,
                                 saver=saver,
                                 global_step=global_step,
                                 save_model_secs=600)
        rng = np.random.RandomState(FLAGS.task_index)
        log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
        # The supervisor takes care of session initialization and restoring from
        # a checkpoint.
        with sv.managed_session(server.target) as sess:
            step = 0
            while not sv.should_stop() and step < 30:
                xs = rng.randn(10, 5)
                ys = xs.sum(1, keepdims=True)
                _, value, summary, step = sess.run(
                    [train_op, loss, summary_op, global_step],
                    feed_dict={x: xs, y_: ys})
                log.write("%d %r\n" % (step, float(value)))
        log.close()
        # Ask for all the services to stop.
        sv.stop()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ps_hosts", type=str, default="")
    parser.add_argument("--worker_hosts", type=str, default="")
    parser.add_argument("--job_name", type=str, default="")
    parser.add_argument("--task_index", type=int, default=0)
    parser.add_argument("--dir", type=str, default="/tmp/train")
    FLAGS, unparsed = parser.parse_known_args()
    tf.app.run(main=main, argv=[sys.argv[0]] + unparsed)
