"""As many gradients as workers."""
import argparse

import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--ps_hosts", default="")
parser.add_argument("--worker_hosts", default="")
parser.add_argument("--job_name", default="")
parser.add_argument("--task_index", type=int, default=0)
parser.add_argument("--dir", default="/tmp/train")
FLAGS = parser.parse_args()


def main():
    worker_hosts = FLAGS.worker_hosts.split(",")
    num_workers = len(worker_hosts)
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                    "worker": worker_hosts})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    is_chief = FLAGS.task_index == 0
    with tf.device(tf.train.replica_device_setter(
            worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster)):
        w = tf.get_variable("w", [], initializer=tf.constant_initializer(8.0))
        loss = tf.square(w)
        step = tf.train.get_or_create_global_step()
        opt = tf.train.GradientDescentOptimizer(0.25)
        opt = tf.train.SyncReplicasOptimizer(opt, replicas_to_aggregate=num_workers,
                                             total_num_replicas=num_workers)
        train_op = opt.minimize(loss, global_step=step)

    with tf.train.MonitoredTrainingSession(
            master=server.target, is_chief=is_chief, stop_grace_period_secs=1,
            hooks=[opt.make_session_run_hook(is_chief)]) as sess:
        log = open(FLAGS.dir + "/loss.%d" % FLAGS.task_index, "w")
        for i in range(6):
            value, _ = sess.run([loss, train_op])
            log.write("%d %r\n" % (i, float(value)))
        log.close()


if __name__ == "__main__":
    main()
