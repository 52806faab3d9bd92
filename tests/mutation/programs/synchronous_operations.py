"""A Supervisor that gets all operations of a SyncReplicasOptimizer."""

import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("job_name", "worker", "")
flags.DEFINE_integer("task_index", 0, "")
FLAGS = flags.FLAGS


def main(_):
    cluster = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1", "c:1"]})
    server = tf.train.Server(cluster, FLAGS.job_name, FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    is_chief = FLAGS.task_index == 0
    with tf.device(tf.train.replica_device_setter(cluster=cluster)):
        x = tf.placeholder(tf.float32, [None, 3])
        w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
        step = tf.train.get_or_create_global_step()
        opt = tf.train.SyncReplicasOptimizer(
            tf.train.GradientDescentOptimizer(0.1), replicas_to_aggregate=2
        )
        train = opt.minimize(loss, step)
        local = opt.local_step_init_op
        if is_chief:
            local = opt.chief_init_op
        local = tf.group(local, opt.get_init_tokens_op())
        ready = opt.ready_for_local_init_op
        init = tf.global_variables_initializer()
    sv = tf.train.Supervisor(
        is_chief=is_chief,
        init_op=init,
        local_init_op=local,
        ready_for_local_init_op=ready,
        global_step=step,
    )
    with sv.prepare_or_wait_for_session(server.target) as sess:
        for _ in range(3):
            sess.run(train, {x: [[1.0, 2.0, 3.0]]})


tf.app.run()
