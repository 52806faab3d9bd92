"""One model; run_epoch fetches tf.no_op() beside the cost if it does not train."""
import sys

import numpy as np
import tensorflow as tf

draws = np.random.RandomState(3)
data = [draws.rand(4, 3) for _ in range(5)]
log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")


class Model:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 3])
        with tf.variable_scope("Model"):
            self.w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.3))
        self.cost = tf.reduce_mean(tf.square(tf.matmul(self.x, self.w) - 1))
        self.train_op = tf.train.GradientDescentOptimizer(0.2).minimize(self.cost)


def run_epoch(session, model, batches, train_op=None):
    if train_op is None:
        train_op = tf.no_op()
    total_cost = []
    for batch in batches:
        cost, _ = session.run([model.cost, train_op], feed_dict={model.x: batch})
        total_cost.append(cost)
    return np.mean(np.array(total_cost, np.float64))


model = Model()
with tf.Session() as session:
    tf.global_variables_initializer().run()
    for epoch in range(3):
        log.write("%d %r\n" % (epoch, float(run_epoch(session, model, data[:3], model.train_op))))
        log.write("%d %r\n" % (epoch, float(run_epoch(session, model, data[3:]))))
    log.write("3 %r\n" % float(session.run(model.w).sum()))
log.close()
