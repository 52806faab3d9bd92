"""Functions of a module beside build the graph and the update of a phase; the loops are here."""
import os

import numpy as np
import tensorflow as tf

import pretraining_phases as phases

tf.app.flags.DEFINE_string("dir", "", "Where the log goes.")
FLAGS = tf.app.flags.FLAGS


def main(_):
    x = tf.placeholder(tf.float32, [None, 4])
    y = tf.placeholder(tf.float32, [None, 1])
    w, d, v, reconstruction, loss = phases.build(x, y)
    pretrain_op = phases.make_update(reconstruction, 0.2, [w, d])
    finetune_op = phases.make_update(loss, 0.05, [w, v])
    rng = np.random.RandomState(6)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        with open(os.path.join(FLAGS.dir, "loss.0"), "w") as log:
            for step in range(5):
                value, _ = sess.run([reconstruction, pretrain_op], {x: rng.rand(6, 4)})
                log.write("%d %r\n" % (step, float(value)))
            for step in range(5, 10):
                data = rng.rand(6, 4)
                value, _ = sess.run([loss, finetune_op], {x: data, y: data[:, :1]})
                log.write("%d %r\n" % (step, float(value)))
            log.write("10 %r\n" % float(sum(a.sum() for a in sess.run([w, d, v]))))


if __name__ == "__main__":
    tf.app.run()
