"""Two models share variables; run_epoch gets the model and an eval_op, as in the PTB tutorial."""
import sys

import numpy as np
import tensorflow as tf

draws = np.random.RandomState(3)
data = [draws.rand(4, 3) for _ in range(5)]


class Model(object):
    def __init__(self, is_training):
        self.x = tf.placeholder(tf.float32, [None, 3])
        w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.3))
        self.cost = tf.reduce_mean(tf.square(tf.matmul(self.x, w) - 1))
        if not is_training:
            return
        self.train_op = tf.train.GradientDescentOptimizer(0.2).minimize(self.cost)


def run_epoch(session, model, batches, eval_op=None):
    costs = 0.0
    fetches = {"cost": model.cost}
    if eval_op is not None:
        fetches["eval_op"] = eval_op
    for batch in batches:
        vals = session.run(fetches, {model.x: batch})
        costs += vals["cost"]
    return costs / len(batches)


def main():
    with tf.variable_scope("Model", reuse=None):
        train = Model(True)
    with tf.variable_scope("Model", reuse=True):
        valid = Model(False)
    log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for epoch in range(3):
            log.write("%d %r\n" % (epoch, float(run_epoch(session, train, data[:3], train.train_op))))
            log.write("%d %r\n" % (epoch, float(run_epoch(session, valid, data[3:]))))
        log.write("3 %r\n" % float(session.run(tf.trainable_variables()[0]).sum()))
    log.close()


if __name__ == "__main__":
    main()
