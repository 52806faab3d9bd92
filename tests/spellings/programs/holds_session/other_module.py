"""The class is in a module beside; the program only makes the object and calls it."""
import os

import numpy as np
import session_model
import tensorflow as tf

tf.app.flags.DEFINE_string("dir", "", "Where the log goes.")
FLAGS = tf.app.flags.FLAGS


def main(_):
    model = session_model.SessionModel(dims=4, lr=0.1)
    rng = np.random.RandomState(2)
    log = open(os.path.join(FLAGS.dir, "loss.0"), "w")
    for step in range(6):
        x = rng.rand(5, 4)
        loss = model.fit_batch(x, x[:, :1])
        log.write("%d %r\n" % (step, float(loss)))
        log.write("%d %r\n" % (step, float(model.predict(x).sum())))
    for name, value in model.get_params().items():
        log.write("6 %r\n" % float(value.sum()))
    log.close()


if __name__ == "__main__":
    tf.app.run(main)
