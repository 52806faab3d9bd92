"""Workers with hooks of their own: a logger, and one that stops each after steps of its own."""
import time

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("ps_hosts", "", "")
flags.DEFINE_string("worker_hosts", "", "")
flags.DEFINE_string("job_name", "", "")
flags.DEFINE_integer("task_index", 0, "")
flags.DEFINE_string("dir", "", "")
flags.DEFINE_integer("steps", 12, "")
flags.DEFINE_boolean("sync", False, "")
FLAGS = flags.FLAGS


class StepHook(tf.train.SessionRunHook):
    """Stops this worker after so many of its own steps."""

    def __init__(self, steps):
        self._steps = steps

    def begin(self):
        self._made = 0
        self._global_step = tf.train.get_global_step()

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self._global_step)

    def after_run(self, run_context, run_values):
        self._made += 1
        self.seen = run_values.results
        if self._made >= self._steps:
            run_context.request_stop()


def main(_):
    ps_hosts = FLAGS.ps_hosts.split(",")
    worker_hosts = FLAGS.worker_hosts.split(",")
    cluster = tf.train.ClusterSpec({"ps": ps_hosts, "worker": worker_hosts})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    is_chief = FLAGS.task_index == 0
    with tf.device(tf.train.replica_device_setter(
            worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster)):
        x = tf.placeholder(tf.float32, [None, 4])
        y = tf.placeholder(tf.float32, [None, 1])
        w = tf.get_variable("w", [4, 1], initializer=tf.zeros_initializer())
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
        global_step = tf.train.get_or_create_global_step()
        optimizer = tf.train.GradientDescentOptimizer(0.05)
        if FLAGS.sync:
            optimizer = tf.train.SyncReplicasOptimizer(
                optimizer, replicas_to_aggregate=len(worker_hosts),
                total_num_replicas=len(worker_hosts))
        train_op = optimizer.minimize(loss, global_step=global_step)

    log = open(FLAGS.dir + "/told.%d" % FLAGS.task_index, "w")

    class _LoggerHook(tf.train.SessionRunHook):
        """Logs loss and runtime."""

        def begin(self):
            self._step = -1
            self._start_time = time.time()

        def before_run(self, run_context):
            self._step += 1
            return tf.train.SessionRunArgs([loss, global_step])

        def after_run(self, run_context, run_values):
            value, step = run_values.results
            # Workers that keep pace may see the step before or after they all made it.
            log.write("%d %r %d\n" % (self._step, float(value), 0 if FLAGS.sync else step))
            log.flush()

        def end(self, session):
            log.write("%d %r %d\n" % (self._step, float(np.sum(session.run(w))), 0))
            log.flush()

    stop_hook = StepHook(FLAGS.steps)
    hooks = [_LoggerHook(), stop_hook]
    if FLAGS.sync:
        hooks.append(optimizer.make_session_run_hook(is_chief, num_tokens=0))
    rng = np.random.RandomState(FLAGS.task_index)
    with tf.train.MonitoredTrainingSession(master=server.target, is_chief=is_chief,
                                           checkpoint_dir=FLAGS.dir + "/train",
                                           hooks=hooks) as sess:
        while not sess.should_stop():
            batch = rng.rand(8, 4)
            sess.run(train_op, feed_dict={x: batch, y: batch.sum(1, keepdims=True)})
    log.close()


if __name__ == "__main__":
    tf.app.run()
