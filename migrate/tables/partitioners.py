"""TF1's partitioners and TF2's: equal shard counts on axis 0, in 1,600 cases."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Partitioner:
    """One kind.

    Attributes:
      symbol: TF1's function; `tf.compat.v1` has it still.
      target: TF2's class, in `tf.distribute.experimental.partitioners`.
      parameters: TF1's, in their order.
      renamed: TF1's parameter -> TF2's. `axis` has none: TF2 splits axis 0.
      defaults: what TF2 must be given where a call leaves TF1's default.
    """

    symbol: str
    target: str
    parameters: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...]
    defaults: tuple[tuple[str, str], ...] = ()


MODULE = "tf.distribute.experimental.partitioners"
_PER_STRING = ("bytes_per_string_element", "bytes_per_string")
_ROWS = (
    Partitioner(
        "tf.fixed_size_partitioner",
        "FixedShardsPartitioner",
        ("num_shards", "axis"),
        (("num_shards", "num_shards"),),
    ),
    Partitioner(
        "tf.variable_axis_size_partitioner",
        "MaxSizePartitioner",
        ("max_shard_bytes", "axis", "bytes_per_string_element", "max_shards"),
        (
            ("max_shard_bytes", "max_shard_bytes"),
            _PER_STRING,
            ("max_shards", "max_shards"),
        ),
    ),
    Partitioner(
        "tf.min_max_variable_partitioner",
        "MinSizePartitioner",
        ("max_partitions", "axis", "min_slice_size", "bytes_per_string_element"),
        (
            ("max_partitions", "max_shards"),
            ("min_slice_size", "min_shard_bytes"),
            _PER_STRING,
        ),
        (("max_partitions", "1"),),
    ),
)
PARTITIONERS = {row.symbol: row for row in _ROWS}
