"""Codes P1xx: partitioners and embeddings."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "P102",
        "unsupported partition axis or partition strategy",
        "A partitioner splits a variable along another axis than 0. Or the partition strategy of a lookup is not a constant.",
        why='A TensorFlow 2 strategy shards variables along axis 0 only. It raises an error for a partitioner that splits another axis. With "mod", row 5 of two shards is in the second shard. With "div" it may be in the first. The tool must know which of the two the program uses, or lookups would return other rows.',
    ),
    Code(
        "P110",
        "partitioner or lookup of a partitioned table",
        'The strategy gets TensorFlow 2\'s partitioner of the same kind, for only the variables that had a partitioner. The number of shards on axis 0 is the same, but the shards may be on other parameter servers. If the partitioner may be passed to a `get_variable` of `tf.compat.v1`, it stays. An embedding lookup finds the rows of a partitioned table where TensorFlow 1 kept them under `partition_strategy="mod"`.',
        why='In TensorFlow 1 a variable or a scope had the partitioner. In TensorFlow 2 the strategy has one for all variables, so the tool writes one that shards only those that were sharded. Both kinds choose a number of shards, but they have different arguments and different results. A TensorFlow 2 strategy calls its own kind, and fails with the other. TensorFlow 1\'s default for a lookup is "mod", and TensorFlow 2 stores shards as "div": the plain lookup would return another row for most ids.',
        before="tf.compat.v1.fixed_size_partitioner(num_shards=2)",
        after="tf.distribute.experimental.partitioners.FixedShardsPartitioner(num_shards=2)",
        promise="A lookup returns the same row for each id, and old checkpoints fit. Over 200 steps on two parameter servers, SGD gave the same bits in float32. Initial values may differ: TensorFlow 1 drew each shard with the same seed, and TensorFlow 2 draws the whole variable once.",
    ),
)
