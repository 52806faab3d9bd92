"""Each object has a list of its variables; a function groups the assignments in a loop."""
import sys

import numpy as np
import tensorflow as tf


class Net:
    def __init__(self, scope, trains=True):
        self.states = tf.placeholder(tf.float32, [None, 3])
        with tf.variable_scope(scope):
            self.w = tf.Variable(tf.fill([3, 2], 0.2), name="w")
            self.b = tf.Variable(tf.zeros([2]), name="b")
        self.params = [self.w, self.b]
        self.q = tf.tanh(tf.matmul(self.states, self.w)) + self.b
        if trains:
            self.goal = tf.placeholder(tf.float32, [None, 2])
            self.loss = tf.reduce_mean(tf.square(self.q - self.goal))
            self.train = tf.train.GradientDescentOptimizer(0.3).minimize(self.loss)


def copy_params(source, destination):
    ops = []
    for i in range(len(source.params)):
        ops.append(tf.assign(destination.params[i], source.params[i]))
    return tf.group(*ops)


def main():
    online = Net("online")
    target = Net("target", trains=False)
    update_target = copy_params(online, target)
    rng = np.random.RandomState(4)
    log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(update_target)
        for step in range(8):
            s = rng.rand(4, 3)
            goal = 0.5 + 0.9 * sess.run(target.q, feed_dict={target.states: s})
            feed = {online.states: s, online.goal: goal}
            _, loss = sess.run([online.train, online.loss], feed_dict=feed)
            log.write("%d %r\n" % (step, float(loss)))
            if (step + 1) % 3 == 0:
                sess.run(update_target)
        log.write("8 %r\n" % float(sum(v.sum() for v in sess.run(target.params))))
    log.close()


if __name__ == "__main__":
    main()
