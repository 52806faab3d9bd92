"""Feeds in the shapes tutorials give them: by a function, by stores, used twice."""
import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("ps_hosts", "", "Comma-separated hosts")
flags.DEFINE_string("worker_hosts", "", "Comma-separated hosts")
flags.DEFINE_string("job_name", "", "ps or worker")
flags.DEFINE_integer("task_index", 0, "Index of the task")
flags.DEFINE_string("dir", "/tmp/train", "Output directory")
FLAGS = flags.FLAGS


class DataSet(object):
    def __init__(self, size, seed):
        self._rng = np.random.RandomState(seed)
        self.num_examples = size

    def next_batch(self, size):
        x = self._rng.randn(size, 4)
        return x, (x[:, 0] > x[:, 1]).astype(np.int64)


def placeholder_inputs(size):
    x_pl = tf.placeholder(tf.float32, shape=(size, 4))
    labels_pl = tf.placeholder(tf.int64, shape=(size,))
    return x_pl, labels_pl


def fill_feed_dict(data_set, x_pl, labels_pl):
    """Fills the feed_dict for training the given step.

    Returns:
      The feed dictionary mapping from placeholders to values.
    """
    x_feed, labels_feed = data_set.next_batch(16)
    feed_dict = {
        x_pl: x_feed,
        labels_pl: labels_feed,
    }
    return feed_dict


def do_eval(sess, eval_correct, x_pl, labels_pl, data_set):
    """Runs one evaluation against a full epoch of data."""
    true_count = 0
    steps_per_epoch = data_set.num_examples // 16
    for step in range(steps_per_epoch):
        feed_dict = fill_feed_dict(data_set, x_pl, labels_pl)
        true_count += sess.run(eval_correct, feed_dict=feed_dict)
    return true_count / float(steps_per_epoch * 16)


def main(_):
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                    "worker": FLAGS.worker_hosts.split(",")})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name,
                             task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    train_set, test_set = DataSet(640, 1), DataSet(64, 2)
    with tf.device(tf.train.replica_device_setter(
            worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster)):
        x, labels = placeholder_inputs(16)
        keep = tf.placeholder_with_default(1.0, [], name="keep")
        rng = np.random.RandomState(3)
        w = tf.Variable(rng.randn(4, 2).astype("float32"), name="w")
        b = tf.Variable(tf.zeros([2]), name="b")
        logits = tf.matmul(x * keep, w) + b
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=labels, logits=logits))
        correct = tf.reduce_sum(tf.cast(tf.nn.in_top_k(logits, labels, 1), tf.int32))
        step = tf.train.get_or_create_global_step()
        train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, global_step=step)

    def feed(training):
        if training:
            xs, ys = train_set.next_batch(16)
            k = 0.5
        else:
            xs, ys = test_set.next_batch(16)
            k = 1.0
        return {x: xs, labels: ys, keep: k}

    noise = np.random.RandomState(4)
    log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
    with tf.train.MonitoredTrainingSession(
            master=server.target, is_chief=FLAGS.task_index == 0) as sess:
        for i in range(10):
            # A function that makes the dict, by the placeholders it is given.
            _, value = sess.run([train, loss],
                                feed_dict=fill_feed_dict(train_set, x, labels))
            log.write("%d %r\n" % (i, float(value)))
            # A function within the function.
            _, value = sess.run([train, loss], feed_dict=feed(True))
            log.write("%d %r\n" % (i, float(value)))
            log.write("%d %r\n" % (i, float(sess.run(loss, feed(False)))))
            # A dict that is added to.
            xs, ys = train_set.next_batch(16)
            given = {x: xs}
            given[labels] = ys
            given.update({keep: 0.25 * (i % 4)})
            sess.run(train, given)
            # A dict that is used twice, whose values are computed once.
            twice = {x: noise.randn(16, 4), labels: noise.randint(0, 2, 16)}
            before = sess.run(loss, feed_dict=twice)
            sess.run(train, feed_dict=twice)
            after = sess.run(loss, feed_dict=twice)
            log.write("%d %r\n" % (i, float(before)))
            log.write("%d %r\n" % (i, float(after)))
        precision = do_eval(sess, correct, x, labels, test_set)
        log.write("10 %r\n" % float(precision))
    log.close()


if __name__ == "__main__":
    tf.app.run()
