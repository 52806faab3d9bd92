"""Partitioners, and lookups in partitioned embeddings."""

from __future__ import annotations

import ast

from migrate.backends.expressions.variables import Variables
from migrate.facts import names
from migrate.program.code import Code, code, joined

_PARTITIONER_TARGETS = {
    # TF1 symbol -> (class, TF1's parameters, TF1 -> TF2 names). FACTS: equal
    # shard counts on axis 0 in 1,600 cases.
    "tf.fixed_size_partitioner": (
        "FixedShardsPartitioner",
        ("num_shards", "axis"),
        {"num_shards": "num_shards"},
    ),
    "tf.variable_axis_size_partitioner": (
        "MaxSizePartitioner",
        ("max_shard_bytes", "axis", "bytes_per_string_element", "max_shards"),
        {
            "max_shard_bytes": "max_shard_bytes",
            "bytes_per_string_element": "bytes_per_string",
            "max_shards": "max_shards",
        },
    ),
    "tf.min_max_variable_partitioner": (
        "MinSizePartitioner",
        ("max_partitions", "axis", "min_slice_size", "bytes_per_string_element"),
        {
            "max_partitions": "max_shards",
            "min_slice_size": "min_shard_bytes",
            "bytes_per_string_element": "bytes_per_string",
        },
    ),
}


class Partitioners(Variables):
    """Plans what splits variables over parameter servers."""

    def _partitioner(self, call: ast.Call, symbol: str) -> None:
        target, parameters, renamed = _PARTITIONER_TARGETS[symbol]
        bound = names.bound_arguments(call, parameters)
        if bound is None:
            self.diagnostics.refuse(
                "P101",
                call,
                "this partitioner's arguments cannot be told apart",
                "",
                symbol,
            )
            return
        axis = names.literal(bound.get("axis"))
        if "axis" in bound and axis != 0:
            self.diagnostics.refuse(
                "P102",
                call,
                f"axis={ast.unparse(bound['axis'])}: ParameterServerStrategy shards axis 0 only",
                "Transpose the variable, or leave it whole.",
                symbol,
            )
            return
        parts = [code(f"{renamed[n]}=", v) for n, v in bound.items() if n in renamed]
        if (
            symbol == "tf.min_max_variable_partitioner"
            and "max_partitions" not in bound
        ):
            parts.append(code("max_shards=1"))
        self.claimed[call] = (
            "P110",
            f"tf.distribute.experimental.partitioners.{target}",
        )
        self.plan.replace(
            call,
            code(
                f"tf.distribute.experimental.partitioners.{target}(",
                joined(", ", parts),
                ")",
            ),
        )

    def _embedding(self, call: ast.Call) -> None:
        """Partitioned tables under "mod", TF1's default, need their rows found anew."""
        table = names.argument(call, "params", 0)
        ids = names.argument(call, "ids", 1)
        strategy = names.literal(names.argument(call, "partition_strategy", 2))
        given = names.argument(call, "partition_strategy", 2)
        partitioned = self.program.partitioned
        if table is None or ids is None:
            return
        extra = [k for k in call.keywords if k.arg in ("max_norm", "name")]
        if any(
            k.arg not in ("params", "ids", "partition_strategy", "max_norm", "name")
            for k in call.keywords
        ) or isinstance(table, (ast.List, ast.Tuple)):
            return
        if given is not None and not isinstance(strategy, str):
            self.diagnostics.refuse(
                "P103", call, "the partition strategy is not a constant"
            )
            return
        rows: Code = code(ids)
        reason = "tf.nn.embedding_lookup"
        if partitioned and strategy != "div":
            rows = code("training_session.mod_rows(", ids, ", ", table, ")")
            reason = 'rows found as TF1\'s partition_strategy="mod" laid them'
        if self.program.replication.averages and not self.program.towers:
            # Measured in reference/sparse_sync: equal for sorted, distinct ids; else an
            # embedding of 0.5 is off by .015 (repeated) to .11 (unsorted) in 120 steps.
            code_, reason = (
                "O114",
                "every row is averaged over the workers whose batch has it, as in TF1 "
                "where a batch's ids are sorted and distinct; other ids TF1 averaged only "
                "in part",
            )
        else:
            code_ = "P111"
        parts = [code(table), rows, *[code(f"{k.arg}=", k.value) for k in extra]]
        self.claimed[call] = (code_, reason)
        self.plan.replace(
            call, code("tf.nn.embedding_lookup(", joined(", ", parts), ")")
        )
