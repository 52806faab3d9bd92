"""Variables in shards, by each of TF1's three partitioners."""

from __future__ import annotations

from reference.scenario import Fault, Looser, Order, Run, Scenario, Topology

_EXACT = "the same operations in the same order"
# Measured 1.8e-15 in the losses, 1.4e-14 in Adagrad's accumulator of the bias.
_DENSE = tuple(
    Looser(
        pattern,
        1e-13,
        "the gradient of the bias is a float64 sum over the batch, added in another order",
    )
    for pattern in ("*/loss/dense", "*/final/w*", "*/final/b*")
)


def _float64(optimizer: str) -> Run:
    return Run(
        f"{optimizer}_float64",
        (f"--optimizer={optimizer}",),
        "float64",
        reason=_EXACT,
        looser=_DENSE,
    )


# Where a table has other shards than TF1's, "mod" finds other rows: the number of shards
# shows in the losses, not in the traced shapes alone.
SCENARIO = Scenario(
    name="variable_partitioners",
    title="partitioned variables, looked up by mod and by div",
    steps=200,
    topology=Topology(ps=2, workers=2, order=Order.TURNS),
    runs=(
        Run("sgd_float32", ("--optimizer=sgd",), reason=_EXACT),
        # Wider rows: the partitioners that count bytes make more shards.
        _float64("adagrad"),
        _float64("adam"),
    ),
    faults=(
        Fault(
            "div for mod",
            "sgd_float32",
            "embedding_lookup(fixed_mod, training_session.mod_rows(ids, fixed_mod))",
            "embedding_lookup(fixed_mod, ids)",
            steps=12,
        ),
        Fault(
            "mod for div",
            "adagrad_float64",
            "embedding_lookup(axis_div, ids)",
            "embedding_lookup(axis_div, training_session.mod_rows(ids, axis_div))",
            steps=12,
        ),
        Fault(
            "number of shards",
            "sgd_float32",
            "FixedShardsPartitioner(num_shards=3)",
            "FixedShardsPartitioner(num_shards=4)",
            steps=12,
        ),
        Fault("most shards", "adagrad_float64", ", max_shards=5", "", steps=12),
        Fault(
            "least bytes",
            "adam_float64",
            "min_shard_bytes=160",
            "min_shard_bytes=128",
            steps=12,
        ),
    ),
    proves=(
        "partitioners:tf.fixed_size_partitioner",
        "partitioners:tf.variable_axis_size_partitioner",
        "partitioners:tf.min_max_variable_partitioner",
        "semantics:tf.nn.embedding_lookup",
    ),
)
