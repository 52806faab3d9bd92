"""Estimators of several tasks, migrated, beside the losses of TensorFlow 1.15.5's."""

from __future__ import annotations

import pathlib
import sys

import numpy as np
import pytest
import tensorflow as tf

from reference import checkpoints, processes
from tests.programs import estimator_clusters


def test_synchronous_optimizer_in_a_model_fn(tmp_path: pathlib.Path) -> None:
    program = estimator_clusters.migrated("sync_workers", tmp_path / "program")
    found = estimator_clusters.run(sys.executable, program, tmp_path / "run")
    expected = estimator_clusters.recorded("sync_workers")
    assert set(found) == set(expected) == {"losses-0", "losses-1"}
    for name, losses in expected.items():
        assert losses.shape == (8,)
        # Sums over workers and batches in another order: some ULPs of losses up to 6.
        np.testing.assert_allclose(found[name], losses, rtol=0, atol=2e-6)
    # A control: a worker's own gradients give other losses from the second step on.
    assert np.max(np.abs(found["losses-0"] - found["losses-1"])) > 1e-2


def test_a_flag_may_decide_against_it(tmp_path: pathlib.Path) -> None:
    """Then the chief's process builds the one graph there is, and runs all loops."""
    program = estimator_clusters.migrated("sync_workers", tmp_path / "program")
    arguments = ["--nosync", "--steps=4"]
    found = estimator_clusters.run(
        sys.executable, program, tmp_path / "run", arguments=arguments
    )
    assert set(found) == {"losses-0"}
    saved = checkpoints.read(tmp_path / "run" / "model")
    # A worker may have been at a step when the other made the last.
    assert int(saved["global_step"]) in (4, 5)
    assert "dense/kernel/Momentum" in saved


def test_another_number_of_gradients_is_an_error(tmp_path: pathlib.Path) -> None:
    program = estimator_clusters.migrated("sync_workers", tmp_path / "program")
    with pytest.raises(processes.TasksFailed, match="replicas_to_aggregate=1"):
        estimator_clusters.run(
            sys.executable, program, tmp_path / "run", arguments=["--aggregate=1"]
        )


def test_ready_made_estimator_of_two_workers(tmp_path: pathlib.Path) -> None:
    program = estimator_clusters.migrated("taken_in_turn", tmp_path / "program")
    found = estimator_clusters.run(sys.executable, program, tmp_path / "run")["losses"]
    expected = estimator_clusters.recorded("taken_in_turn")["losses"]
    # Either worker may have been at a step when the other made the last.
    assert min(len(found), len(expected)) >= 20
    np.testing.assert_allclose(found[:20], expected[:20], rtol=2e-6)
    # A control: the losses fall, so that a step that is missing is seen.
    assert np.min(np.abs(np.diff(expected[:20]))) > 1e-3


def test_a_master_evaluates_what_it_saves(tmp_path: pathlib.Path) -> None:
    """Also at the end, where another worker makes a step after the last checkpoint."""
    program = estimator_clusters.migrated("taken_in_turn", tmp_path / "program")
    estimator_clusters.run(sys.executable, program, tmp_path / "run", chief="master")
    saved = checkpoints.read(tmp_path / "run" / "model")
    evaluated = [
        event.step
        for path in (tmp_path / "run" / "model" / "eval").iterdir()
        for event in tf.compat.v1.train.summary_iterator(str(path))
        if event.summary.value
    ]
    assert evaluated == [int(saved["global_step"])]


@pytest.mark.parametrize("strategy", ["experimental", "contrib", "config"])
def test_parameter_servers_as_a_strategy(
    strategy: str, tmp_path: pathlib.Path
) -> None:
    """By the name from before TensorFlow 2.4, contrib's, and in a DistributeConfig."""
    program = estimator_clusters.migrated("server_strategies", tmp_path / "program")
    arguments = [f"--strategy={strategy}"]
    run = estimator_clusters.run(
        sys.executable, program, tmp_path / "run", arguments=arguments
    )
    expected = estimator_clusters.recorded("server_strategies")["losses"]
    # Either worker may have been at a step when the other made the last.
    assert min(len(run["losses"]), len(expected)) >= 20
    np.testing.assert_allclose(run["losses"][:20], expected[:20], rtol=2e-6)
    # A control: the losses fall, so that a step that is missing is seen.
    assert np.min(np.abs(np.diff(expected[:20]))) > 1e-3


@pytest.mark.parametrize("strategy", ["ring", "contrib"])
def test_workers_that_keep_pace_as_a_strategy(
    strategy: str, tmp_path: pathlib.Path
) -> None:
    """MultiWorkerMirroredStrategy(CollectiveCommunication.RING), and contrib's."""
    name = "collective_strategies"
    program = estimator_clusters.migrated(name, tmp_path / "program")
    found = estimator_clusters.run(
        sys.executable,
        program,
        tmp_path / "run",
        arguments=[f"--strategy={strategy}"],
        ps=0,
    )
    expected = estimator_clusters.recorded(name)
    assert set(found) == set(expected) == {"losses-0", "losses-1"}
    for worker, losses in expected.items():
        # Sums over workers and batches in another order: some ULPs of losses up to 6.
        np.testing.assert_allclose(found[worker], losses, rtol=0, atol=2e-6)
    # A control: a worker's own gradients give other losses from the second step on.
    assert np.max(np.abs(found["losses-0"] - found["losses-1"])) > 1e-2
