"""D146: an evaluator listed in the cluster that ParameterServerStrategy starts."""
import os
import socket
import sys
import threading

import tensorflow as tf


def free():
    with socket.socket() as one:
        one.bind(("localhost", 0))
        return "localhost:%d" % one.getsockname()[1]


log = open(sys.argv[1].split("=")[1] + "/loss.0", "w", buffering=1)
cluster = tf.train.ClusterSpec({"ps": [free()], "worker": [free()], "evaluator": [free()]})
for job in ("ps", "worker"):
    tf.distribute.Server(cluster, job_name=job, task_index=0, start=True)
log.write("0 0\n")
# Nobody waits for ever in a test.
patience = threading.Timer(10, os._exit, [1])
patience.start()
strategy = tf.distribute.ParameterServerStrategy(
    tf.distribute.cluster_resolver.SimpleClusterResolver(cluster, rpc_layer="grpc"))
with strategy.scope():
    v = tf.Variable(1.0)
log.write("1 %d\n" % v.numpy())
patience.cancel()
log.close()
os._exit(0)  # The servers have no end of their own.
