"""A network in another file, a session that its own block makes the default one."""
import os

import numpy as np
import tensorflow as tf

import batches
from network import SentenceNetwork

tf.flags.DEFINE_string("dir", "/tmp", "where losses, summaries and checkpoints go")
tf.flags.DEFINE_string("widths", "3,4,5", "of the filters")
tf.flags.DEFINE_integer("filters", 4, "of each width")
tf.flags.DEFINE_integer("epochs", 3, "")
tf.flags.DEFINE_boolean("soft_placement", True, "")
FLAGS = tf.flags.FLAGS


def sentences():
    rng = np.random.RandomState(10)
    x = rng.randint(0, 30, [60, 8])
    y = np.eye(2)[(x.sum(1) > 116).astype(int)]
    return x[:48], y[:48], x[48:], y[48:]


def train(x_train, y_train, x_dev, y_dev):
    log = open(os.path.join(FLAGS.dir, "loss.0"), "w")
    with tf.Graph().as_default():
        config = tf.ConfigProto(allow_soft_placement=FLAGS.soft_placement)
        sess = tf.Session(config=config)
        with sess.as_default():
            net = SentenceNetwork(
                length=x_train.shape[1],
                classes=y_train.shape[1],
                vocabulary=30,
                size=6,
                widths=list(map(int, FLAGS.widths.split(","))),
                filters=FLAGS.filters,
                penalty=0.1)

            # The training operation
            global_step = tf.Variable(0, name="global_step", trainable=False)
            optimizer = tf.train.AdamOptimizer(1e-3)
            grads_and_vars = optimizer.compute_gradients(net.loss)
            train_op = optimizer.apply_gradients(grads_and_vars, global_step=global_step)

            # Gradients are looked at, too
            of_gradients = []
            for g, v in grads_and_vars:
                if g is not None:
                    histogram = tf.summary.histogram("{}/gradient".format(v.name), g)
                    zeros = tf.summary.scalar("{}/zeros".format(v.name),
                                              tf.nn.zero_fraction(g))
                    of_gradients.append(histogram)
                    of_gradients.append(zeros)
            gradients = tf.summary.merge(of_gradients)

            # What is written of a step
            loss_summary = tf.summary.scalar("loss", net.loss)
            accuracy_summary = tf.summary.scalar("accuracy", net.accuracy)
            train_summaries = tf.summary.merge([loss_summary, accuracy_summary, gradients])
            train_writer = tf.summary.FileWriter(os.path.join(FLAGS.dir, "train"), sess.graph)
            dev_summaries = tf.summary.merge([loss_summary, accuracy_summary])
            dev_writer = tf.summary.FileWriter(os.path.join(FLAGS.dir, "dev"), sess.graph)
            prefix = os.path.join(FLAGS.dir, "checkpoints", "model")
            if not os.path.exists(os.path.dirname(prefix)):
                os.makedirs(os.path.dirname(prefix))
            saver = tf.train.Saver(tf.global_variables(), max_to_keep=2)

            sess.run(tf.global_variables_initializer())

            def train_step(x_batch, y_batch):
                """
                One step of training.
                """
                feed_dict = {
                    net.words: x_batch,
                    net.labels: y_batch,
                    net.keep_prob: 1.0,
                }
                _, step, summaries, loss, accuracy = sess.run(
                    [train_op, global_step, train_summaries, net.loss, net.accuracy],
                    feed_dict)
                print("step {}, loss {:g}, accuracy {:g}".format(step, loss, accuracy))
                train_writer.add_summary(summaries, step)
                return loss, accuracy

            def dev_step(x_batch, y_batch, writer=None):
                """
                What the network makes of sentences that it does not learn.
                """
                feed_dict = {
                    net.words: x_batch,
                    net.labels: y_batch,
                    net.keep_prob: 1.0,
                }
                step, summaries, loss, accuracy = sess.run(
                    [global_step, dev_summaries, net.loss, net.accuracy], feed_dict)
                if writer:
                    writer.add_summary(summaries, step)
                return loss, accuracy

            for batch in batches.in_batches(list(zip(x_train, y_train)), 12, FLAGS.epochs):
                x_batch, y_batch = zip(*batch)
                loss, accuracy = train_step(x_batch, y_batch)
                current_step = tf.train.global_step(sess, global_step)
                log.write("%d %r %r\n" % (current_step, float(loss), float(accuracy)))
                if current_step % 4 == 0:
                    loss, accuracy = dev_step(x_dev, y_dev, writer=dev_writer)
                    log.write("%d %r %r\n" % (current_step, float(loss), float(accuracy)))
                    path = saver.save(sess, prefix, global_step=current_step)
                    print("Saved {}\n".format(path))
    log.close()


def main(argv=None):
    train(*sentences())


if __name__ == "__main__":
    tf.app.run()
