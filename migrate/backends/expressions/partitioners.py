"""Partitioners, and lookups in partitioned embeddings."""

from __future__ import annotations

import ast

from migrate.backends.expressions.variables import Variables
from migrate.facts import names, one_table
from migrate.program.code import Code, join_code, make_code
from migrate.rules.mistakes import older_partitioners
from migrate.tables.partitioners import MODULE, PARTITIONERS


class Partitioners(Variables):
    """Plans what splits variables over parameter servers."""

    def _rewrite_partitioner(self, call: ast.Call, symbol: str) -> None:
        row = PARTITIONERS[symbol]
        new = older_partitioners.rewrite_partitioner(call, row)
        bound = names.bind_arguments(call, row.parameters)
        if new is None or bound is None:
            self.diagnostics.refuse(
                "N151",
                call,
                "the tool cannot tell this partitioner's arguments apart",
                "Write its arguments out, without * and **.",
                symbol,
            )
            return
        axis = names.read_literal(bound.get("axis"))
        if "axis" in bound and axis != 0:
            self.diagnostics.refuse(
                "P102",
                call,
                f"axis={ast.unparse(bound['axis'])}: ParameterServerStrategy splits "
                "variables only along axis 0",
                "Transpose the variable, or do not partition it.",
                symbol,
            )
            return
        self.claimed[call] = ("P110", f"{MODULE}.{row.target}")
        self.plan.replace(call, new)

    def _rewrite_embedding(self, call: ast.Call) -> None:
        """Partitioned tables under "mod", TF1's default, need their rows found anew."""
        table = names.find_argument(call, "params", 0)
        ids = names.find_argument(call, "ids", 1)
        strategy = names.read_literal(
            names.find_argument(call, "partition_strategy", 2)
        )
        given = names.find_argument(call, "partition_strategy", 2)
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
                "P102",
                call,
                "the partition strategy is not a constant",
                'Write partition_strategy="mod" or "div" in the call.',
            )
            return
        rows: Code = make_code(ids)
        whole = one_table.is_one_table(self.scopes, table)
        reason = "tf.nn.embedding_lookup"
        if not whole:
            reason = (
                "tf.compat.v1.nn.embedding_lookup, TF1's own: of a list of tables "
                'TensorFlow 2\'s finds rows as "div" lays them'
            )
        elif partitioned and strategy != "div":
            rows = make_code("training_session.mod_rows(", ids, ", ", table, ")")
            reason = 'rows found as TF1\'s partition_strategy="mod" laid them'
        if self.program.replication.averages and not self.program.towers:
            # Measured in reference/sparse_sync: equal for sorted, distinct ids; else an
            # embedding of 0.5 is off by .015 (repeated) to .11 (unsorted) in 120 steps.
            code_, reason = (
                "O111",
                "every row is averaged over the workers whose batch has it, as in TF1 "
                "where a batch's ids are sorted and distinct; other ids TF1 averaged only "
                "in part",
            )
        else:
            code_ = "P110"
        if not whole:
            self.claimed[call] = (code_, reason)
            self.plan.replace(call.func, make_code("tf.compat.v1.nn.embedding_lookup"))
            return
        parts = [
            make_code(table),
            rows,
            *[make_code(f"{k.arg}=", k.value) for k in extra],
        ]
        self.claimed[call] = (code_, reason)
        self.plan.replace(
            call, make_code("tf.nn.embedding_lookup(", join_code(", ", parts), ")")
        )
