"""Codes P1xx: partitioners and embeddings."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "P101",
        "partitioner arguments",
        "The partitioner's arguments could not be told apart.",
    ),
    Code("P102", "partition axis", "TF2 shards variables on axis 0 only."),
    Code(
        "P103",
        "partition strategy",
        'The partition strategy of a lookup must be a constant: "mod" and "div" find different rows.',
    ),
    Code(
        "P110",
        "partitioner",
        "The partitioner's counterpart is given to the strategy for just the variables that had one. Promises the same number of shards; does not promise placement.",
    ),
    Code(
        "P112",
        "partitioner of a strategy",
        "A partitioner of TensorFlow 1 that only a strategy of TensorFlow 2 can have becomes TensorFlow 2's: as many shards on axis 0. One that a get_variable may have stays tf.compat.v1's.",
        "tf.compat.v1.fixed_size_partitioner(num_shards=2)",
        "tf.distribute.experimental.partitioners.FixedShardsPartitioner(num_shards=2)",
    ),
    Code(
        "P111",
        "embedding lookup",
        'TF1\'s default partition_strategy on a partitioned table is "mod"; TF2 lays shards out as "div". Rows are looked up where "mod" kept them.',
        "tf.nn.embedding_lookup(table, ids)",
        "tf.nn.embedding_lookup(table, training_session.mod_rows(ids, table))",
    ),
)
