"""The servers of `client.py`, as somebody has started them elsewhere."""

import sys


def serve(flags):
    import tensorflow as tf

    cluster = {
        "ps": flags.ps_hosts.split(","),
        "worker": flags.worker_hosts.split(","),
    }
    config = tf.compat.v1.ConfigProto(inter_op_parallelism_threads=8)
    server = tf.distribute.Server(
        cluster, job_name=flags.job_name, task_index=flags.task_index, config=config
    )
    server.join()
    sys.exit()
