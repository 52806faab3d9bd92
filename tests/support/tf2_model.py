"""The model of tf1_model.py as a migrated program trains it, with servers of its own.

    python tf2_model.py DIRECTORY OPTIMIZER SHARDS LOOKUP LAST_STEP

A process has one cluster, so each training is a process.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))

import tensorflow as tf  # noqa: E402

from migrate.support import training_session  # noqa: E402
from reference.processes import Hosts  # noqa: E402
from tests.support import tf1_model  # noqa: E402

OPTIMIZERS = {
    "sgd": lambda: tf.compat.v1.train.GradientDescentOptimizer(0.1),
    "momentum": lambda: tf.compat.v1.train.MomentumOptimizer(0.1, 0.9),
    "adam": lambda: tf.compat.v1.train.AdamOptimizer(0.1),
    "rmsprop": lambda: tf.compat.v1.train.RMSPropOptimizer(0.1, momentum=0.5),
}


def build(replicas, optimizer, shards, lookup):
    """Makes the variables; returns the training step."""
    with replicas.strategy.scope(), replicas.recording():
        step = training_session.create_global_step()
        with tf.name_scope("net"):
            initial = tf.zeros([tf1_model.ROWS, 4], tf.float64)
            if shards:
                make = tf.distribute.experimental.partitioners.FixedShardsPartitioner
                with training_session.partitioner.sharding(make(num_shards=shards)):
                    table = tf.Variable(initial, name="table")
            else:
                table = tf.Variable(initial, name="table")
            w = tf.Variable(tf.zeros([4, 2], tf.float64), name="w")
        made = OPTIMIZERS[optimizer]()

        @replicas.step_function(
            tf.TensorSpec([None], tf.int32), tf.TensorSpec([None, 2], tf.float64)
        )
        def train_step(ids, y):
            with tf.GradientTape() as tape:
                if shards and lookup == "mod":
                    ids = training_session.mod_rows(ids, table)
                rows = tf.nn.embedding_lookup(table, ids)
                loss = tf.reduce_mean(tf.square(tf.matmul(rows, w) - y))
            variables = replicas.trainable_variables
            gradients = tape.gradient(loss, variables)
            made.apply_gradients(zip(gradients, variables), global_step=step)
            return loss

    return train_step


def main(directory, optimizer, shards, lookup, last_step):
    hosts = Hosts.on_loopback(2, 2)
    cluster = tf.train.ClusterSpec({"ps": hosts.ps, "worker": hosts.worker})
    servers = [
        tf.distribute.Server(
            cluster, job, index, config=training_session.server_config()
        )
        for job in cluster.jobs
        for index in cluster.task_indices(job)
    ]
    strategy = tf.distribute.ParameterServerStrategy(
        tf.distribute.cluster_resolver.SimpleClusterResolver(cluster, rpc_layer="grpc"),
        variable_partitioner=training_session.partitioner,
    )
    replicas = training_session.AsynchronousReplicas(strategy, cluster)
    train_step = build(replicas, optimizer, int(shards), lookup)
    stop = training_session.StopAtStepHook(last_step=int(last_step))
    with training_session.MonitoredTrainingSession(
        replicas, checkpoint_dir=directory, hooks=[stop]
    ) as sess:
        while not sess.should_stop():
            sess.run(train_step, *tf1_model.batch(int(sess.global_step())))
    return servers  # Kept to the end.


if __name__ == "__main__":
    main(*sys.argv[1:])
