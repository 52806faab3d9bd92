"""build_model is in a module beside and is imported by name; flags and tf.app.run."""
import os

import numpy as np
import tensorflow as tf
from regression_model import build_model

flags = tf.app.flags
flags.DEFINE_string("dir", "", "Where the log goes.")
flags.DEFINE_float("learning_rate", 0.05, "The learning rate.")
FLAGS = flags.FLAGS


def main(argv=None):
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.placeholder(tf.float32, [None, 1])
    train_op, loss, (w, b), step = build_model(x, y, FLAGS.learning_rate)
    rng = np.random.RandomState(1)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        with open(os.path.join(FLAGS.dir, "loss.0"), "w") as log:
            for i in range(8):
                data = rng.rand(6, 3)
                _, value = sess.run([train_op, loss], feed_dict={x: data, y: data.sum(1, keepdims=True)})
                log.write("%d %r\n" % (i, float(value)))
            w_value, b_value, step_value = sess.run([w, b, step])
            log.write("8 %r\n8 %r\n" % (float(w_value.sum()), float(b_value.sum())))
            log.write("8 %r\n" % float(step_value))


if __name__ == "__main__":
    tf.app.run()
