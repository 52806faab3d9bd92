"""SyncReplicasOptimizer in the older wiring under a flag, a Supervisor made in either branch
with a writer of its own."""
import time

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("dir", "/tmp/train", "")
flags.DEFINE_string("ps_hosts", "", "")
flags.DEFINE_string("worker_hosts", "", "")
flags.DEFINE_string("job_name", None, "job name: worker or ps")
flags.DEFINE_integer("task_index", None, "")
flags.DEFINE_integer("train_steps", 25, "")
flags.DEFINE_boolean("sync_replicas", True, "")
FLAGS = flags.FLAGS


def main(unused_argv):
    if FLAGS.job_name is None or FLAGS.job_name == '':
        raise ValueError('Must specify an explicit job_name')
    ps_spec = FLAGS.ps_hosts.split(',')
    worker_spec = FLAGS.worker_hosts.split(',')
    num_worker = len(worker_spec)
    cluster = tf.train.ClusterSpec({'ps': ps_spec, 'worker': worker_spec})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    print(server.target)
    if FLAGS.job_name == 'ps':
        server.join()
    is_chief = (FLAGS.task_index == 0)
    worker_device = '/job:worker/task:%d/cpu:0' % FLAGS.task_index
    with tf.device(tf.train.replica_device_setter(
            worker_device=worker_device, ps_device='/job:ps/cpu:0', cluster=cluster)):
        global_step = tf.Variable(0, name='global_step', trainable=False)
        w = tf.Variable(tf.zeros([5, 1]), name='w')
        x = tf.placeholder(tf.float32, [None, 5])
        y = tf.placeholder(tf.float32, [None, 1])
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
        tf.summary.scalar('loss', loss)
        opt = tf.train.AdamOptimizer(0.05)
        if FLAGS.sync_replicas:
            replicas_to_aggregate = num_worker
            opt = tf.train.SyncReplicasOptimizer(
                opt,
                replicas_to_aggregate=replicas_to_aggregate,
                total_num_replicas=num_worker,
                use_locking=False,
                name='mnist_sync_replicas')
        train_step = opt.minimize(loss, global_step)
        if FLAGS.sync_replicas:
            local_init_op = opt.local_step_init_op
            if is_chief:
                local_init_op = opt.chief_init_op
            ready_for_local_init_op = opt.ready_for_local_init_op
            chief_queue_runner = opt.get_chief_queue_runner()
            init_token_op = opt.get_init_tokens_op(0)
        init_op = tf.global_variables_initializer()
        summary_op = tf.summary.merge_all()
        summary_writer = tf.summary.FileWriter(FLAGS.dir + "/sum")
        saver = tf.train.Saver()
        if FLAGS.sync_replicas:
            sv = tf.train.Supervisor(is_chief=is_chief, logdir=FLAGS.dir + "/ck",
                                     init_op=init_op, local_init_op=local_init_op,
                                     ready_for_local_init_op=ready_for_local_init_op,
                                     summary_op=None, saver=saver, summary_writer=summary_writer,
                                     recovery_wait_secs=1, global_step=global_step)
        else:
            sv = tf.train.Supervisor(is_chief=is_chief, logdir=FLAGS.dir + "/ck",
                                     init_op=init_op, recovery_wait_secs=1,
                                     summary_op=None, saver=saver, summary_writer=summary_writer,
                                     global_step=global_step)
        sess_config = tf.ConfigProto(
            allow_soft_placement=True, log_device_placement=False,
            device_filters=['/job:ps', '/job:worker/task:%d' % FLAGS.task_index])
        if is_chief:
            print('Worker %d: Initailizing session...' % FLAGS.task_index)
        else:
            print('Worker %d: Waiting for session to be initaialized...' % FLAGS.task_index)
        sess = sv.prepare_or_wait_for_session(server.target, config=sess_config)
        print('Worker %d: Session initialization complete.' % FLAGS.task_index)
        if FLAGS.sync_replicas and is_chief:
            sess.run(init_token_op)
            sv.start_queue_runners(sess, [chief_queue_runner])
        rng = np.random.RandomState(FLAGS.task_index)
        log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
        time_begin = time.time()
        print('Training begins @ %f' % time_begin)
        local_step = 0
        while True:
            batch_xs = rng.randn(8, 5)
            train_feed = {x: batch_xs, y: batch_xs.sum(1, keepdims=True)}
            _, summary_res, value, step = sess.run([train_step, summary_op, loss, global_step], feed_dict=train_feed)
            if is_chief:
                sv.summary_writer.add_summary(summary_res, step)
            log.write("%d %r\n" % (step, float(value)))
            local_step += 1
            if step >= FLAGS.train_steps:
                break
        log.close()
        val_next = sess.run(loss, feed_dict=train_feed)
        print('after %d training step(s), validation cross entropy = %g' % (FLAGS.train_steps, val_next))
    sess.close()


if __name__ == '__main__':
    tf.app.run()
