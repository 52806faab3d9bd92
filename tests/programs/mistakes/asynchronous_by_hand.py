"""Asynchronous training: parameter servers, workers that wait for nobody."""
import os
import socket
import sys

import tensorflow as tf


def free():
    with socket.socket() as one:
        one.bind(("localhost", 0))
        return "localhost:%d" % one.getsockname()[1]


log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
cluster = tf.train.ClusterSpec({"ps": [free()], "worker": [free(), free()]})
config = tf.compat.v1.ConfigProto(inter_op_parallelism_threads=8)
for job, index in (("ps", 0), ("worker", 0), ("worker", 1)):
    tf.distribute.Server(
        cluster, job_name=job, task_index=index, config=config, start=True)
strategy = tf.distribute.ParameterServerStrategy(
    tf.distribute.cluster_resolver.SimpleClusterResolver(cluster, rpc_layer="grpc"))
coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)

with strategy.scope():
    w = tf.Variable(tf.zeros([300, 300]))
    updates = tf.Variable(0)
    optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.1)


@tf.function
def train_step():
    def step():
        before = updates.read_value()
        with tf.GradientTape() as tape:
            product = w
            for _ in range(20):
                product = tf.matmul(product, w)
            loss = tf.reduce_sum(product)
        gradient = tape.gradient(loss, w)
        optimizer.apply_gradients([(gradient, w)])
        # Updates by others since the gradient was computed.
        with tf.control_dependencies([gradient]):
            return updates.assign_add(1) - before - 1

    return strategy.run(step)


late = [coordinator.schedule(train_step) for _ in range(40)]
coordinator.join()
log.write("0 %d\n" % max(int(n.fetch()) for n in late))
log.close()
os._exit(0)  # The servers have no end of their own.
