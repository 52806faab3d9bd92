"""Partitioners of TensorFlow 1 that only a strategy of TensorFlow 2 can have."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

TF = "import tensorflow as tf\n"
V1 = "import tensorflow.compat.v1 as v1\n"
RESOLVER = "tf.distribute.cluster_resolver.TFConfigClusterResolver()"
NEW = "tf.distribute.experimental.partitioners."
TAKEN = {
    # What stands in the file -> what the partitioner becomes.
    "given in place": (
        TF + f"s = tf.distribute.ParameterServerStrategy({RESOLVER}, "
        "tf.compat.v1.fixed_size_partitioner(3, axis=0))\n",
        NEW + "FixedShardsPartitioner(num_shards=3)",
    ),
    "by a name, the older class": (
        TF + V1 + "p = v1.min_max_variable_partitioner(min_slice_size=1024)\n"
        "s = tf.distribute.experimental.ParameterServerStrategy(\n"
        f"    {RESOLVER}, variable_partitioner=p)\n",
        NEW + "MinSizePartitioner(min_shard_bytes=1024, max_shards=1)",
    ),
    "of a function": (
        TF + "def made(size):\n"
        "    return tf.compat.v1.variable_axis_size_partitioner(size, 0, 8, 4)\n"
        f"s = tf.distribute.ParameterServerStrategy({RESOLVER}, made(64))\n",
        NEW
        + "MaxSizePartitioner(max_shard_bytes=size, bytes_per_string=8, max_shards=4)",
    ),
    "through a function and a choice": (
        TF + "def start(split):\n"
        f"    return tf.distribute.ParameterServerStrategy({RESOLVER}, split)\n"
        "s = start(tf.compat.v1.fixed_size_partitioner(FLAGS.ps) if FLAGS.ps > 1 else None)\n",
        NEW + "FixedShardsPartitioner(num_shards=FLAGS.ps)",
    ),
    "an attribute": (
        TF + "class Job:\n"
        "    def __init__(self):\n"
        "        self.split = tf.compat.v1.fixed_size_partitioner(num_shards=5)\n"
        "        self.strategy = tf.distribute.ParameterServerStrategy(\n"
        f"            {RESOLVER}, variable_partitioner=self.split)\n",
        NEW + "FixedShardsPartitioner(num_shards=5)",
    ),
    "TensorFlow 1's own name": (
        TF + f"s = tf.distribute.experimental.ParameterServerStrategy({RESOLVER}, "
        "variable_partitioner=tf.fixed_size_partitioner(2))\n",
        f"tf.distribute.experimental.ParameterServerStrategy({RESOLVER}, "
        f"variable_partitioner={NEW}FixedShardsPartitioner(num_shards=2)",
    ),
    "imported by its name": (
        "from tensorflow.compat.v1 import fixed_size_partitioner\n"
        "import tensorflow as flow\n"
        "s = flow.distribute.ParameterServerStrategy("
        f"{RESOLVER.replace('tf.', 'flow.')}, fixed_size_partitioner(2))\n",
        "flow" + NEW[2:] + "FixedShardsPartitioner(num_shards=2)",
    ),
    "for later": (
        TF + "BY_SIZE = tf.compat.v1.variable_axis_size_partitioner(1 << 18)\n",
        NEW + "MaxSizePartitioner(max_shard_bytes=1 << 18)",
    ),
}


@pytest.mark.parametrize("name", TAKEN)
def test_a_strategys_partitioner_is_of_tensorflow_2(name: str) -> None:
    text, new = TAKEN[name]
    migration = migrate_text(text)
    assert new in migration.text and "compat.v1.fixed" not in migration.text
    assert {f.code for f in migration.findings if f.outcome is Outcome.REFUSED} == set()
    assert "P110" in {f.code for f in migration.findings}
    again = migrate_text(migration.text)
    assert again.text == migration.text


LEFT = {
    "a variable has it, too": TF
    + "p = tf.compat.v1.fixed_size_partitioner(2)\n"
    + f"s = tf.distribute.ParameterServerStrategy({RESOLVER}, p)\n"
    + "w = tf.compat.v1.get_variable('w', [8, 2], partitioner=p)\n",
    "a variable scope has it": TF
    + "with tf.compat.v1.variable_scope('s', "
    + "partitioner=tf.compat.v1.fixed_size_partitioner(2)):\n    pass\n",
    "an unknown function has it": TF
    + "import towers\n"
    + "towers.build(tf.compat.v1.fixed_size_partitioner(2))\n"
    + f"s = tf.distribute.ParameterServerStrategy({RESOLVER})\n",
    "it goes into a list": TF
    + "ps = [tf.compat.v1.fixed_size_partitioner(n) for n in (2, 3)]\n"
    + f"s = tf.distribute.ParameterServerStrategy({RESOLVER}, ps[0])\n",
    "a function's caller is not seen": TF
    + "def made():\n    return tf.compat.v1.fixed_size_partitioner(2)\n",
    "in a graph's file, for later": TF
    + "P = tf.compat.v1.fixed_size_partitioner(2)\n"
    + "x = tf.compat.v1.placeholder(tf.float32)\n",
    "called by the program itself": TF
    + "p = tf.compat.v1.fixed_size_partitioner(2)\n"
    + "print(p(tf.TensorShape([8]), tf.float32))\n"
    + f"s = tf.distribute.ParameterServerStrategy({RESOLVER}, p)\n",
}


@pytest.mark.parametrize("name", LEFT)
def test_any_other_stays_what_it_is(name: str) -> None:
    text = LEFT[name]
    migration = migrate_text(text)
    assert "experimental.partitioners" not in migration.text
    assert "P110" not in {f.code for f in migration.findings}


def test_another_axis_is_refused() -> None:
    migration = migrate_text(
        TF + f"s = tf.distribute.ParameterServerStrategy({RESOLVER}, "
        "tf.compat.v1.fixed_size_partitioner(2, axis=1))\n"
    )
    assert [f.code for f in migration.findings] == ["P102"]
    assert "experimental.partitioners" not in migration.text
