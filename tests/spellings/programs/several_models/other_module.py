"""The class and the function that copies are in a module beside; the models are in a list."""
import os

import numpy as np
import q_networks
import tensorflow as tf

tf.app.flags.DEFINE_string("dir", "", "Where the log goes.")


def main(_):
    nets = [q_networks.QNetwork(name, 0.3) for name in ["online", "target"]]
    online, target = nets
    copy = q_networks.make_copy_ops(online.scope, target.scope)
    rng = np.random.RandomState(4)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(copy)
        with open(os.path.join(tf.app.flags.FLAGS.dir, "loss.0"), "w") as log:
            for step in range(8):
                s = rng.rand(4, 3)
                goal = 0.5 + 0.9 * target.predict(sess, s)
                log.write("%d %r\n" % (step, float(online.update(sess, s, goal))))
                if step % 3 == 2:
                    sess.run(copy)
            values = sess.run(tf.trainable_variables(target.scope))
            log.write("8 %r\n" % float(sum(v.sum() for v in values)))


if __name__ == "__main__":
    tf.app.run()
