"""A TPUEstimator's replicated training, without a TPU, beside TensorFlow 1.15.5's results.

What one device computes of whole batches two replicas compute of their halves: the
recording has the former. That TensorFlow 1.15.5 on a TPU does so too is what
CrossShardOptimizer says of itself; no TPU was at hand.
"""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

from migrate.compiler import migrate_text
from reference.compare import Array
from tests.programs import estimator_tpus

# A mean of two means of six is not rounded as a mean of twelve is; nor are sums in
# compiled code as in others. Of values below 10 after 20 steps; 7.2e-7 was measured.
_TOLERANCE = 1e-5
_CASES = (
    "mirrored-host-plain",
    "mirrored-host2-plain",
    "mirrored-shard-plain",
    "mirrored-host-own",
    "compiled-host-plain",
    "compiled-host2-own",
    "mirrored-host-bare",
    "mirrored-host2-ragged",
    "tpu-host-plain",
)
_ERRORS = {
    "mirrored-host-bare": "CrossShardOptimizer must be used for model training on TPUs.",
    "mirrored-host2-ragged": "must have static shape on a TPU",
    "tpu-host-plain": "Without a TPU pass use_tpu=False. TensorFlow says: TPUs not found",
}


@pytest.fixture(scope="module")
def found(
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, dict[str, Array] | str]:
    work = tmp_path_factory.mktemp("tpus")
    source = estimator_tpus.migrated(work / "program")
    return estimator_tpus.run(source, work / "run", _CASES)


def _difference(case: str, found: dict[str, Array] | str) -> float:
    """The largest of all results and variables."""
    assert not isinstance(found, str), found
    expected = {
        name: value
        for name, value in estimator_tpus.recorded(case.rpartition("-")[2]).items()
        if not name.startswith("initial/")
    }
    assert sorted(expected) == sorted(found)
    return max(
        float(np.max(np.abs(expected[name].astype(float) - found[name]), initial=0.0))
        for name in expected
    )


@pytest.mark.parametrize("case", [c for c in _CASES if c not in _ERRORS])
def test_replicas_equal_tensorflow_1_15_5(
    case: str, found: dict[str, dict[str, Array] | str]
) -> None:
    assert _difference(case, found[case]) <= _TOLERANCE


@pytest.mark.parametrize("case", _ERRORS)
def test_what_a_tpu_cannot_do_is_refused(
    case: str, found: dict[str, dict[str, Array] | str]
) -> None:
    error = found[case]
    assert isinstance(error, str) and _ERRORS[case] in error


@pytest.mark.parametrize(
    "config, batch_size, batch_axis, error",
    [
        ({"num_shards": 8}, 12, None, r"should be \(1\), got \(8\)"),
        ({"per_host_input_for_training": 4}, 12, None, "BROADCAST"),
        ({"num_cores_per_replica": 2}, 12, None, "num_cores_per_replica"),
        ({}, 12, [1, 0], "batch_axis"),
        ({}, None, None, "train_batch_size"),
    ],
)
def test_configurations_that_do_not_suit_are_refused(
    config: dict[str, int], batch_size: int | None, batch_axis: object, error: str
) -> None:
    import tensorflow as tf

    from migrate.support import estimator_tpu
    from migrate.support.estimator_loop import tpu

    with pytest.raises(ValueError, match=error):
        estimator_tpu.Shards(
            tf.distribute.OneDeviceStrategy("/cpu:0"),
            tpu.TPUConfig(**config),
            batch_size,
            batch_axis,
        )


def test_the_report_says_that_no_tpu_was_at_hand() -> None:
    path = estimator_tpus.PROGRAM
    findings = migrate_text(path.read_text(), filename=path.name).findings
    said = {f.symbol: f.reason for f in findings if f.code == "E156"}
    assert "Nobody has run this on a TPU" in said["tf.contrib.tpu.TPUEstimator"]
    assert "never run on a TPU" in said["tf.contrib.tpu.CrossShardOptimizer"]


@pytest.mark.parametrize(
    "case, old, new",
    [
        # Gradients of all cores are summed, not averaged.
        (
            "mirrored-host-plain",
            "loss *= 1.0 / replicas.count",
            "pass",
        ),
        # Both replicas have the first one's batch.
        (
            "mirrored-host2-plain",
            "first = context.replica_id_in_sync_group * len(specs)",
            "first = 0",
        ),
        # A replica's own gradients move it.
        (
            "mirrored-host-own",
            'context.all_reduce("sum", [g for g, _ in here])',
            "[g for g, _ in here]",
        ),
    ],
    ids=["sum", "batch", "own"],
)
def test_faults_are_seen(tmp_path: pathlib.Path, case: str, old: str, new: str) -> None:
    fault = ("estimator_tpu.py", old, new)
    source = estimator_tpus.migrated(tmp_path / "program", fault)
    found = estimator_tpus.run(source, tmp_path / "run", [case])
    assert _difference(case, found[case]) > 100 * _TOLERANCE


def test_the_modules_of_a_package_find_each_other() -> None:
    from migrate.support import estimator_strategies, estimator_tpu
    from migrate.support.estimator_loop import clusters, tpu

    assert tpu._on_tpu() is estimator_tpu
    assert clusters._strategies() is estimator_strategies
