"""Alone without a job name, else on servers: a branch each, of a graph that both build."""
import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("ps_hosts", "", "comma-separated host:port")
flags.DEFINE_string("worker_hosts", "", "comma-separated host:port")
flags.DEFINE_string("job_name", None, "ps or worker; nothing to train alone")
flags.DEFINE_integer("task_index", 0, "index within the job")
flags.DEFINE_string("dir", "/tmp/train", "where losses and checkpoints go")
FLAGS = flags.FLAGS


def build_model():
    x = tf.placeholder(tf.float32, [None, 6], name="x")
    y = tf.placeholder(tf.float32, [None, 1], name="y")
    hidden = tf.layers.dense(x, 5, activation=tf.nn.tanh, name="hidden",
                             kernel_initializer=tf.constant_initializer(
                                 np.linspace(-0.5, 0.5, 30).reshape(6, 5)))
    w = tf.get_variable("w", [5, 1], initializer=tf.ones_initializer())
    loss = tf.reduce_mean(tf.square(tf.matmul(hidden, w) - y), name="loss")
    global_step = tf.train.get_or_create_global_step()
    train_op = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, global_step=global_step)
    return x, y, loss, train_op, global_step


def batches(seed, rounds):
    random = np.random.RandomState(seed)
    for _ in range(rounds):
        xs = random.rand(8, 6)
        yield xs, xs.sum(1, keepdims=True) / 3


def main(_):
    log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
    if FLAGS.job_name is None:
        # One process: the variables are its own.
        x, y, loss, train_op, global_step = build_model()
        saver = tf.train.Saver()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for xs, ys in batches(4, 20):
                _, value = sess.run([train_op, loss], feed_dict={x: xs, y: ys})
                log.write("%d %r\n" % (sess.run(global_step), float(value)))
            saver.save(sess, FLAGS.dir + "/alone.ckpt", global_step=global_step)
            log.write("20 %r\n" % float(sess.run(loss, {x: xs, y: ys})))
    else:
        cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                        "worker": FLAGS.worker_hosts.split(",")})
        server = tf.train.Server(cluster, job_name=FLAGS.job_name,
                                 task_index=FLAGS.task_index)
        if FLAGS.job_name == "ps":
            server.join()
        with tf.device(tf.train.replica_device_setter(
                worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster)):
            x, y, loss, train_op, global_step = build_model()
        with tf.train.MonitoredTrainingSession(
                master=server.target, is_chief=(FLAGS.task_index == 0),
                checkpoint_dir=FLAGS.dir + "/train",
                hooks=[tf.train.StopAtStepHook(last_step=25)]) as sess:
            for xs, ys in batches(7 + FLAGS.task_index, 30):
                if sess.should_stop():
                    break
                _, value, step = sess.run([train_op, loss, global_step],
                                          feed_dict={x: xs, y: ys})
                log.write("%d %r\n" % (step, float(value)))
    log.close()


if __name__ == "__main__":
    tf.app.run()
