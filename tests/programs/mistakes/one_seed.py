"""D143: every worker shuffles its data by one seed."""
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
for job, index in (("ps", 0), ("worker", 0), ("worker", 1)):
    tf.distribute.Server(cluster, job_name=job, task_index=index, start=True)
strategy = tf.distribute.ParameterServerStrategy(
    tf.distribute.cluster_resolver.SimpleClusterResolver(cluster, rpc_layer="grpc"))
coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)


def dataset_fn(context):
    numbers = tf.data.Dataset.range(64)
    return numbers.shuffle(64, seed=7, reshuffle_each_iteration=False).batch(64).repeat()


@tf.function
def per_worker_dataset():
    return strategy.distribute_datasets_from_function(dataset_fn)


@tf.function
def whole_epoch(iterator):
    return next(iterator)


iterator = iter(coordinator.create_per_worker_dataset(per_worker_dataset))
orders = set()
for _ in range(40):  # Whoever is idle takes the next: both have come by then.
    results = [coordinator.schedule(whole_epoch, args=(iterator,)) for _ in range(8)]
    coordinator.join()
    orders |= {tuple(result.fetch().tolist()) for result in results}
log.write("0 %d\n" % len(orders))
log.close()
os._exit(0)  # The servers have no end of their own.
