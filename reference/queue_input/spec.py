"""Input by queue runners: files and slices, shuffled by a seed, epoch after epoch."""

from __future__ import annotations

from reference.scenario import SINGLE, Fault, Looser, Run, Scenario

_SOURCES = ("records", "lines", "fixed", "slices")
# The batches themselves ("rows", "sum"), and so their order, are equal to the last bit.
# Measured 1.2e-7 and 2.3e-16 in what is computed from them, 1 to 15 ULPs of losses of 0.05.
_ADDS = "the product of a matrix and a column adds its terms in another order, and so does its gradient"
_ULPS = {"float32": 5e-7, "float64": 1e-15}


def _run(source: str, dtype: str) -> Run:
    return Run(
        f"{source}_{dtype}",
        (f"--source={source}",),
        dtype,
        looser=tuple(Looser(f"*/{n}", _ULPS[dtype], _ADDS) for n in ("loss", "w", "b")),
    )


SCENARIO = Scenario(
    name="queue_input",
    title="queue runners, four kinds of input",
    steps=200,
    topology=SINGLE,
    runs=tuple(_run(s, d) for d in ("float32", "float64") for s in _SOURCES),
    faults=(
        Fault("order of files", "records_float32", "seed=FLAGS.seed", "seed=2", 20),
        Fault(
            "files as they are named",
            "records_float64",
            ".map(lambda rows: tf.random.shuffle(rows, seed=FLAGS.seed))",
            "",
            20,
        ),
        Fault("header", "lines_float32", ".skip(1)", ".skip(2)", 20),
        Fault("order of slices", "slices_float64", "seed=FLAGS.seed", "seed=2", 20),
        Fault("drawn anew", "fixed_float32", "seed=5", "seed=6", 20),
    ),
    proves=(
        "queues:tf.train.string_input_producer",
        "queues:tf.train.slice_input_producer",
        "queues:tf.train.batch",
        "queues:tf.train.start_queue_runners",
        "queues:tf.TFRecordReader",
        "queues:tf.TextLineReader",
        "queues:tf.FixedLengthRecordReader",
    ),
)
