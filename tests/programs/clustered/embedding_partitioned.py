"""A partitioned embedding table with TF1's default (mod) lookup; absl flags."""
from absl import app
from absl import flags
import numpy as np
import tensorflow as tf

flags.DEFINE_list("ps_hosts", [], "ps")
flags.DEFINE_list("worker_hosts", [], "workers")
flags.DEFINE_string("job_name", "worker", "job")
flags.DEFINE_integer("task_index", 0, "index")
flags.DEFINE_string("dir", "/tmp/train", "directory")
flags.DEFINE_integer("steps", 12, "steps")
FLAGS = flags.FLAGS

VOCAB, DIM = 7, 4


def main(argv):
    del argv
    cluster = {"ps": FLAGS.ps_hosts, "worker": FLAGS.worker_hosts}
    spec = tf.train.ClusterSpec(cluster)
    server = tf.train.Server(spec, FLAGS.job_name, FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    with tf.device(tf.train.replica_device_setter(
            ps_tasks=len(FLAGS.ps_hosts),
            worker_device="/job:worker/task:{}".format(FLAGS.task_index),
            ps_device="/job:ps")):
        step = tf.train.create_global_step()
        ids = tf.placeholder(tf.int32, [None], name="ids")
        target = tf.placeholder(tf.float32, [None, 1], name="target")
        with tf.variable_scope("model"):
            table = tf.get_variable(
                "table", [VOCAB, DIM],
                initializer=tf.random_uniform_initializer(-1.0, 1.0),
                partitioner=tf.fixed_size_partitioner(2))
            vectors = tf.nn.embedding_lookup(table, ids)
            w = tf.get_variable("w", [DIM, 1])
        out = tf.sigmoid(tf.matmul(vectors, w))
        loss = tf.reduce_mean(tf.squared_difference(out, target))
        train = tf.train.AdagradOptimizer(0.5).minimize(loss, global_step=step)
    rng = np.random.RandomState(0)
    with tf.train.MonitoredTrainingSession(
            server.target, FLAGS.task_index == 0, FLAGS.dir + "/train",
            hooks=[tf.train.StopAtStepHook(last_step=FLAGS.steps)]) as sess, \
            open(FLAGS.dir + "/loss.%d" % FLAGS.task_index, "w") as log:
        n = 0
        while not sess.should_stop():
            batch = rng.randint(0, VOCAB, size=8)
            value = sess.run([train, loss], feed_dict={
                ids: batch, target: (batch % 2)[:, None]})[1]
            log.write("%d %r\n" % (n, float(value)))
            n += 1


if __name__ == "__main__":
    app.run(main)
