"""A strategy of TensorFlow 2 that is given partitioners of TensorFlow 1."""
import argparse

import tensorflow as tf
import tensorflow.compat.v1 as v1

parser = argparse.ArgumentParser()
parser.add_argument("--ps_hosts", default="")
parser.add_argument("--worker_hosts", default="")
parser.add_argument("--job_name", default="")
parser.add_argument("--task_index", type=int, default=0)
parser.add_argument("--dir", default="/tmp")
args = parser.parse_args()

cluster = tf.train.ClusterSpec({"ps": args.ps_hosts.split(","),
                                "worker": args.worker_hosts.split(",")})
if args.job_name != "client":
    tf.distribute.Server(cluster, job_name=args.job_name,
                         task_index=args.task_index).join()


def by_size(limit):
    # 按字节数切分
    return v1.variable_axis_size_partitioner(limit, 0, max_shards=2)


def shards(partitioner):
    strategy = tf.distribute.ParameterServerStrategy(
        tf.distribute.cluster_resolver.SimpleClusterResolver(
            cluster, rpc_layer="grpc"), partitioner)
    counts = []
    with strategy.scope():
        for rows in (1, 7, 40):
            table = tf.Variable(tf.ones([rows, 4]))
            counts.append(len(getattr(table, "variables", [table])))
    return counts


small = tf.compat.v1.min_max_variable_partitioner(max_partitions=3, min_slice_size=100)
kinds = [
    shards(tf.compat.v1.fixed_size_partitioner(2)),
    shards(by_size(400)),
    shards(small),
]
with open(args.dir + "/shards", "w") as log:
    log.write(repr(kinds))
