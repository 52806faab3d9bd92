"""Lists of operations that are run one after the other, or one of them in each step."""
import sys

import numpy as np
import tensorflow as tf


def main():
    rng = np.random.RandomState(8)
    images = rng.rand(48, 6).astype(np.float32)
    kinds = (images.sum(1) > 3).astype(np.int64)
    image = tf.placeholder(tf.float32, [None, 6])
    kind = tf.placeholder(tf.int64, [None])
    with tf.variable_scope("lower"):
        lower = tf.get_variable("w", [6, 4], initializer=tf.constant_initializer(0.1))
    with tf.variable_scope("upper"):
        upper = tf.get_variable("w", [4, 2], initializer=tf.random_normal_initializer(seed=3))
    logits = tf.matmul(tf.tanh(tf.matmul(image, lower)), upper)
    cost = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=kind, logits=logits))
    optimizer = tf.train.GradientDescentOptimizer(0.5)
    lower_op = optimizer.minimize(cost, var_list=[lower])
    upper_op = optimizer.minimize(cost, var_list=[upper])
    both = optimizer.minimize(cost)
    ops = [upper_op, lower_op, both]
    log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
    line = 0
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for epoch in range(4):
            feed = {image: images[12 * epoch:12 * epoch + 12],
                    kind: kinds[12 * epoch:12 * epoch + 12]}
            for op in ops:
                sess.run(op, feed_dict=feed)
            log.write("%d %r\n" % (line, float(sess.run(cost, feed_dict=feed))))
            line += 1
        for epoch in range(6):
            # Backward: the last is `both`, of index -1.
            _, value = sess.run([ops[epoch % 3 - 1], cost],
                                feed_dict={image: images, kind: kinds})
            log.write("%d %r\n" % (line, float(value)))
            line += 1
        for (name, times), op in zip([("upper", 2), ("lower", 1)], ops):
            for _ in range(times):
                value, _ = sess.run([cost, op], {image: images[:24], kind: kinds[:24]})
                log.write("%d %r\n" % (line, float(value) + len(name)))
                line += 1
    log.close()


if __name__ == "__main__":
    main()
