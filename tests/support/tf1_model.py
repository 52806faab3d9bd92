"""A small model, trained by TensorFlow 1.15.5 (Python 3.7) from and to checkpoints.

    python tf1_model.py DIRECTORY OPTIMIZER SHARDS LOOKUP LAST_STEP

SHARDS 0: the table is not partitioned. float64, in which TensorFlow 2 computes the same
bits. Batches are numbered by the global step, so a run can be continued anywhere.
"""

import sys

import numpy as np

ROWS = 7


def batch(step):
    random = np.random.RandomState(step)
    return random.randint(0, ROWS, [6]).astype(np.int32), random.rand(6, 2)


def main(directory, optimizer, shards, lookup, last_step):
    import tensorflow as tf

    shards, last_step = int(shards), int(last_step)
    train = tf.compat.v1.train
    step = train.get_or_create_global_step()
    ids = tf.compat.v1.placeholder(tf.int32, [None])
    y = tf.compat.v1.placeholder(tf.float64, [None, 2])
    partitioner = tf.compat.v1.fixed_size_partitioner(shards) if shards else None
    with tf.compat.v1.variable_scope("net", partitioner=partitioner):
        table = tf.compat.v1.get_variable(
            "table",
            [ROWS, 4],
            tf.float64,
            tf.compat.v1.random_uniform_initializer(seed=1),
        )
    with tf.compat.v1.variable_scope("net"):
        w = tf.compat.v1.get_variable(
            "w", [4, 2], tf.float64, tf.compat.v1.random_uniform_initializer(seed=2)
        )
    rows = tf.nn.embedding_lookup(table, ids, partition_strategy=lookup)
    loss = tf.reduce_mean(tf.square(tf.matmul(rows, w) - y))
    made = {
        "sgd": lambda: train.GradientDescentOptimizer(0.1),
        "momentum": lambda: train.MomentumOptimizer(0.1, 0.9),
        "adam": lambda: train.AdamOptimizer(0.1),
        "rmsprop": lambda: train.RMSPropOptimizer(0.1, momentum=0.5),
    }[optimizer]()
    train_op = made.minimize(loss, global_step=step)
    with train.MonitoredTrainingSession(checkpoint_dir=directory) as sess:
        now = sess.run(step)
        while now < last_step:
            sess.run(train_op, dict(zip((ids, y), batch(now))))
            now += 1


if __name__ == "__main__":
    main(*sys.argv[1:])
