"""Trains for a number of epochs and evaluates after each; separate event files for
training and testing, as in the TensorBoard tutorial."""
from __future__ import print_function

import numpy as np
import tensorflow as tf

tf.flags.DEFINE_string("ps_hosts", "", "parameter server hosts")
tf.flags.DEFINE_string("worker_hosts", "", "worker hosts")
tf.flags.DEFINE_string("job_name", "", "'ps' or 'worker'")
tf.flags.DEFINE_integer("task_index", 0, "index within the job")
tf.flags.DEFINE_string("dir", "/tmp/logs", "log directory")
tf.flags.DEFINE_integer("training_epochs", 4, "epochs")
tf.flags.DEFINE_integer("batch_size", 20, "batch size")
FLAGS = tf.flags.FLAGS

# Network Parameters
n_hidden = 8
n_input = 4
n_classes = 3

parameter_servers = FLAGS.ps_hosts.split(",")
workers = FLAGS.worker_hosts.split(",")
cluster = tf.train.ClusterSpec({"ps": parameter_servers, "worker": workers})

# start a server for a specific task
config = tf.ConfigProto()
config.gpu_options.allow_growth = True
server = tf.train.Server(cluster, job_name=FLAGS.job_name,
                         task_index=FLAGS.task_index, config=config)


def load_data():
    rng = np.random.RandomState(5)
    x = rng.randn(150, n_input).astype(np.float32)
    y = np.argmax(x[:, :n_classes] + 0.1 * rng.randn(150, n_classes), axis=1)
    return (x[:120], y[:120]), (x[120:], y[120:])


def multilayer_perceptron(x, reuse=False):
    with tf.variable_scope("mlp", reuse=reuse):
        w1 = tf.get_variable("w1", [n_input, n_hidden],
                             initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=1))
        b1 = tf.get_variable("b1", [n_hidden], initializer=tf.zeros_initializer)
        w2 = tf.get_variable("w2", [n_hidden, n_classes],
                             initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=2))
        b2 = tf.get_variable("b2", [n_classes], initializer=tf.zeros_initializer)
    layer_1 = tf.nn.sigmoid(tf.add(tf.matmul(x, w1), b1))
    return tf.matmul(layer_1, w2) + b2


if FLAGS.job_name == "ps":
    server.join()
elif FLAGS.job_name == "worker":
    # Between-graph replication
    with tf.device(tf.train.replica_device_setter(
            worker_device="/job:worker/task:%d" % FLAGS.task_index,
            ps_device="/job:ps",
            cluster=cluster)):
        # count the number of updates
        global_step = tf.get_variable("global_step", [], dtype=tf.int64,
                                      initializer=tf.constant_initializer(0),
                                      trainable=False)
        X = tf.placeholder(tf.float32, [None, n_input])
        Y = tf.placeholder(tf.int64, [None])

        with tf.name_scope("train"):
            logits = multilayer_perceptron(X)
            cost = tf.losses.sparse_softmax_cross_entropy(labels=Y, logits=logits)
            grad_op = tf.train.AdagradDAOptimizer(
                0.5, global_step, l2_regularization_strength=0.01)
            train_op = grad_op.minimize(cost, global_step=global_step)

        with tf.name_scope("evaluate"):
            eval_logits = multilayer_perceptron(X, reuse=True)
            hits = tf.nn.in_top_k(eval_logits, Y, 1)
            accuracy = tf.reduce_mean(tf.cast(hits, tf.float32))

        tf.summary.scalar("cost", cost)
        tf.summary.scalar("accuracy", accuracy)
        summary_op = tf.summary.merge_all()

    (train_x, train_y), (test_x, test_y) = load_data()
    total_batch = len(train_x) // FLAGS.batch_size
    train_writer = tf.summary.FileWriter(FLAGS.dir + "/train_events",
                                         graph=tf.get_default_graph())
    test_writer = tf.summary.FileWriter(FLAGS.dir + "/test_events")
    saver_hook = tf.train.CheckpointSaverHook(FLAGS.dir + "/saved", save_steps=10,
                                              checkpoint_basename="mlp.ckpt")
    log = open(FLAGS.dir + "/loss.%d" % FLAGS.task_index, "w")

    with tf.train.MonitoredTrainingSession(master=server.target,
                                           is_chief=(FLAGS.task_index == 0),
                                           chief_only_hooks=[saver_hook]) as sess:
        for epoch in range(FLAGS.training_epochs):
            avg_cost = 0.
            for i in range(total_batch):
                batch_x = train_x[i * FLAGS.batch_size:(i + 1) * FLAGS.batch_size]
                batch_y = train_y[i * FLAGS.batch_size:(i + 1) * FLAGS.batch_size]
                _, c, summary, step = sess.run([train_op, cost, summary_op, global_step],
                                               feed_dict={X: batch_x, Y: batch_y})
                train_writer.add_summary(summary, step)
                log.write("%d %r\n" % (step, float(c)))
                avg_cost += c / total_batch
            log.flush()
            summary, acc = sess.run([summary_op, accuracy],
                                    feed_dict={X: test_x, Y: test_y})
            test_writer.add_summary(summary, global_step=step)
            print("Epoch: %d" % (epoch + 1), "cost=%.6f" % avg_cost, "accuracy=%.3f" % acc)
        print("global step", sess.run(global_step))
    train_writer.close()
    test_writer.close()
    log.close()
