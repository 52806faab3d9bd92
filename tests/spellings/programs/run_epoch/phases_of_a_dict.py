"""A dict of phases has the data and the fetches of each; one loop runs both phases."""
import sys

import numpy as np
import tensorflow as tf

draws = np.random.RandomState(3)
data = [draws.rand(4, 3) for _ in range(5)]
x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.3))
cost = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1))
train_op = tf.train.GradientDescentOptimizer(0.2).minimize(cost)
PHASES = {
    "train": (data[:3], {"cost": cost, "update": train_op}),
    "valid": (data[3:], {"cost": cost}),
}


def run_epoch(session, phase):
    batches, fetches = PHASES[phase]
    results = [session.run(fetches, {x: batch}) for batch in batches]
    return float(np.mean([r["cost"] for r in results], dtype=np.float64))


with tf.Session() as session, open(sys.argv[1].split("=")[1] + "/loss.0", "w") as log:
    session.run(tf.global_variables_initializer())
    for epoch in range(3):
        for phase in ["train", "valid"]:
            log.write("%d %r\n" % (epoch, run_epoch(session, phase)))
    log.write("3 %r\n" % float(session.run(w).sum()))
