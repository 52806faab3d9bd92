"""Two models of one class, a function that runs an epoch of either, and fetches that grow."""
import sys

import numpy as np
import tensorflow as tf

out = sys.argv[1].split("=")[1]
log = open(out + "/loss.0", "w")
draws = np.random.RandomState(8)
data = [draws.rand(4, 3) for _ in range(5)]


class Model(object):
    def __init__(self, is_training):
        self.x = tf.placeholder(tf.float32, [None, 3])
        w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.3))
        self.cost = tf.reduce_mean(tf.square(tf.matmul(self.x, w) - 1))
        if not is_training:
            return
        self.lr = tf.Variable(0.0, trainable=False)
        tvars = tf.trainable_variables()
        grads, _ = tf.clip_by_global_norm(tf.gradients(self.cost, tvars), 0.5)
        optimizer = tf.train.GradientDescentOptimizer(self.lr)
        self.train_op = optimizer.apply_gradients(zip(grads, tvars))
        self.new_lr = tf.placeholder(tf.float32, shape=[], name="new_learning_rate")
        self.lr_update = tf.assign(self.lr, self.new_lr)

    def assign_lr(self, session, lr_value):
        session.run(self.lr_update, feed_dict={self.new_lr: lr_value})


def run_epoch(session, model, batches, eval_op=None):
    costs = []
    fetches = {"cost": model.cost}
    if eval_op is not None:
        fetches["eval_op"] = eval_op
    for batch in batches:
        vals = session.run(fetches, {model.x: batch})
        costs.append(float(vals["cost"]))
    return sum(costs) / len(batches)


def main():
    with tf.variable_scope("Model", reuse=None):
        m = Model(True)
    with tf.variable_scope("Model", reuse=True):
        valid = Model(False)
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    for epoch in range(3):
        m.assign_lr(session, 0.2 * 0.5 ** epoch)
        log.write("%d %r\n" % (2 * epoch, run_epoch(session, m, data[:3], m.train_op)))
        log.write("%d %r\n" % (2 * epoch + 1, run_epoch(session, valid, data[3:])))
    session.close()


main()
log.close()
