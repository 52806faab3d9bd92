"""variable_axis_size_partitioner on a scope, "div" lookup, adam, per-epoch evaluation."""
import numpy as np
import tensorflow as tf

FLAGS = tf.flags.FLAGS
tf.flags.DEFINE_string("ps_hosts", "", "")
tf.flags.DEFINE_string("worker_hosts", "", "")
tf.flags.DEFINE_string("job_name", "", "")
tf.flags.DEFINE_integer("task_index", 0, "")
tf.flags.DEFINE_string("dir", "", "")


def accuracy_of(logits, labels):
    predicted = tf.cast(logits > 0, tf.float32)
    return tf.reduce_mean(tf.cast(tf.equal(predicted, labels), tf.float32))


def main(_):
    ps = FLAGS.ps_hosts.split(",")
    cluster = tf.train.ClusterSpec(dict(ps=ps, worker=FLAGS.worker_hosts.split(",")))
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    chief = FLAGS.task_index == 0
    with tf.Graph().as_default(), tf.device(tf.train.replica_device_setter(
            cluster=cluster, worker_device="/job:worker/task:%d" % FLAGS.task_index)):
        global_step = tf.train.get_or_create_global_step()
        words = tf.placeholder(tf.int64, [None, 3])
        labels = tf.placeholder(tf.float32, [None])
        shards = tf.variable_axis_size_partitioner(max_shard_bytes=64, max_shards=len(ps))
        with tf.variable_scope("emb", partitioner=shards):
            emb = tf.get_variable("table", [20, 4], initializer=tf.zeros_initializer())
        with tf.variable_scope("out", initializer=tf.constant_initializer(0.3)):
            w = tf.get_variable("w", [4])
            b = tf.get_variable("b", [])
        bag = tf.reduce_mean(tf.nn.embedding_lookup(emb, words, partition_strategy="div"), 1)
        logits = tf.reduce_sum(bag * w, 1) + b
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(
            logits=logits, labels=labels))
        train_op = tf.train.AdamOptimizer(0.1).minimize(loss, global_step=global_step)
        accuracy = accuracy_of(logits, labels)
        tf.summary.scalar("accuracy", accuracy)

        rng = np.random.RandomState(0)
        all_words = rng.randint(0, 20, size=(60, 3))
        all_labels = (all_words.min(1) < 5).astype("float32")
        with tf.train.MonitoredTrainingSession(
                master=server.target, is_chief=chief, checkpoint_dir=FLAGS.dir + "/t",
                save_checkpoint_steps=7, save_summaries_steps=None, save_summaries_secs=None, log_step_count_steps=5) as sess:
            log = open(FLAGS.dir + "/loss.%d" % FLAGS.task_index, "w")
            for epoch in range(3):
                for start in range(0, 60, 15):
                    stop = start + 15
                    _, value = sess.run([train_op, loss], feed_dict={
                        words: all_words[start:stop], labels: all_labels[start:stop]})
                    log.write("%d %r\n" % (epoch, float(value)))
                print("epoch", epoch, "accuracy",
                      sess.run(accuracy, feed_dict={words: all_words, labels: all_labels}),
                      "step", tf.train.global_step(sess, global_step))
            log.close()


if __name__ == "__main__":
    tf.app.run()
