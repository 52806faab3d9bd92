"""run_epoch and the model are in a module beside; the fetches are a list that may grow."""
import os

import numpy as np
import tensorflow as tf

from epoch_utils import LinearModel, run_epoch

tf.flags.DEFINE_string("dir", "", "Where the log goes.")
tf.flags.DEFINE_integer("epochs", 3, "How many epochs.")
FLAGS = tf.flags.FLAGS


def main(_):
    draws = np.random.RandomState(3)
    data = [draws.rand(4, 3) for _ in range(5)]
    model = LinearModel(lr=0.2)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        with open(os.path.join(FLAGS.dir, "loss.0"), "w") as log:
            for epoch in range(FLAGS.epochs):
                train_cost = run_epoch(sess, model, data[:3], train=True)
                valid_cost = run_epoch(sess, model, data[3:])
                log.write("%d %r\n" % (epoch, float(train_cost)))
                log.write("%d %r\n" % (epoch, float(valid_cost)))
            log.write("%d %r\n" % (FLAGS.epochs, float(sess.run(model.w).sum())))


if __name__ == "__main__":
    tf.app.run()
