"""The agent gets the session; its methods build parts of the graph and return them."""
import sys

import numpy as np
import tensorflow as tf


class Agent(object):
    def __init__(self, sess, dims, lr):
        self.sess = sess
        self.dims = dims
        self.inputs, self.w, self.out = self.create_network()
        self.goal = tf.placeholder(tf.float32, [None, 1])
        self.loss = tf.reduce_mean(tf.square(self.out - self.goal))
        self.optimize = tf.train.GradientDescentOptimizer(lr).minimize(self.loss)

    def create_network(self):
        inputs = tf.placeholder(tf.float32, [None, self.dims])
        w = tf.Variable(np.full((self.dims, 1), 0.1, np.float32))
        return inputs, w, tf.nn.tanh(tf.matmul(inputs, w))

    def train(self, inputs, goal):
        return self.sess.run([self.loss, self.optimize], feed_dict={
            self.inputs: inputs,
            self.goal: goal,
        })[0]

    def predict(self, inputs):
        return self.sess.run(self.out, feed_dict={self.inputs: inputs})


def main():
    log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
    rng = np.random.RandomState(2)
    with tf.Session() as sess:
        agent = Agent(sess, 4, 0.1)
        sess.run(tf.global_variables_initializer())
        for step in range(6):
            x = rng.rand(5, 4)
            log.write("%d %r\n" % (step, float(agent.train(x, x[:, :1]))))
            log.write("%d %r\n" % (step, float(agent.predict(x).sum())))
        log.write("6 %r\n" % float(sess.run(agent.w).sum()))
    log.close()


if __name__ == "__main__":
    main()
