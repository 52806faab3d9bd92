"""What a SyncReplicasOptimizer offered, and the optimizer in its place does not."""

import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("job_name", None, "")
flags.DEFINE_integer("task_index", 0, "")
FLAGS = flags.FLAGS


def main(_):
    cluster = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1", "c:1"]})
    server = tf.train.Server(cluster, FLAGS.job_name, FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    with tf.device(tf.train.replica_device_setter(cluster=cluster)):
        step = tf.train.get_or_create_global_step()
        x = tf.placeholder(tf.float32, [None, 2])
        w = tf.Variable(tf.zeros([2, 1]), name="w")
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
        optimizer = tf.train.SyncReplicasOptimizer(
            tf.train.GradientDescentOptimizer(0.1), 2, total_num_replicas=2
        )
        train_op = optimizer.minimize(loss, global_step=step)
    with tf.train.MonitoredTrainingSession(
        master=server.target,
        is_chief=FLAGS.task_index == 0,
        checkpoint_dir="/tmp/c",
        hooks=[optimizer.make_session_run_hook(FLAGS.task_index == 0)],
    ) as sess:
        while not sess.should_stop():
            sess.run(train_op, feed_dict={x: [[1.0, 2.0]]})
            print(optimizer.chief_init_op)
            print(optimizer.get_chief_queue_runner)
            print(optimizer.get_init_tokens_op)
            print(optimizer.local_step_init_op)
            print(optimizer.make_session_run_hook)
            print(optimizer.ready_for_local_init_op)


if __name__ == "__main__":
    tf.app.run()
