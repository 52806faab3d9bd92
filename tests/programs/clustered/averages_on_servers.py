"""Moving averages behind the update and beside it, on servers or alone; the decay grows."""
import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("ps_hosts", "", "comma-separated host:port")
flags.DEFINE_string("worker_hosts", "", "comma-separated host:port")
flags.DEFINE_string("job_name", "", "ps or worker; nothing to train alone")
flags.DEFINE_integer("task_index", 0, "index within the job")
flags.DEFINE_string("dir", "/tmp/train", "where losses and checkpoints go")
FLAGS = flags.FLAGS


def device_and_target():
    if not FLAGS.job_name:
        return None, ""
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                    "worker": FLAGS.worker_hosts.split(",")})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name,
                             task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    return tf.train.replica_device_setter(cluster=cluster), server.target


def main(_):
    device, target = device_and_target()
    with tf.device(device):
        x = tf.placeholder(tf.float32, [None, 6])
        y = tf.placeholder(tf.float32, [None, 1])
        global_step = tf.train.get_or_create_global_step()
        w = tf.get_variable("w", [6, 1], initializer=tf.constant_initializer(0.5))
        b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
        update = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, global_step=global_step)
        averages = tf.train.ExponentialMovingAverage(0.8, global_step)
        with tf.control_dependencies([update]):
            train_op = averages.apply([w, b])
        far = tf.reduce_sum(averages.average(w)) + 3.0 * tf.reduce_sum(averages.average(b))
    log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
    random = np.random.RandomState(5)
    with tf.train.MonitoredTrainingSession(
            master=target, is_chief=(FLAGS.task_index == 0),
            checkpoint_dir=FLAGS.dir + "/train") as sess:
        for _ in range(20):
            xs = random.rand(8, 6)
            sess.run(train_op, feed_dict={x: xs, y: xs.sum(1, keepdims=True) / 3})
            step = sess.run(global_step)
            log.write("%d %r\n" % (step, float(sess.run(far))))
    log.close()


if __name__ == "__main__":
    tf.app.run()
