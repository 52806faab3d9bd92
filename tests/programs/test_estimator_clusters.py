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
    """Also at the end, where another worker makes a step after the last checkpoint.

    The model has an optimizer for each of two parts: in a step of several tasks, too.
    """
    program = estimator_clusters.migrated("taken_in_turn", tmp_path / "program")
    run = estimator_clusters.run(
        sys.executable,
        program,
        tmp_path / "run",
        chief="master",
        arguments=["--model=parts"],
    )
    expected = estimator_clusters.recorded("parts_in_turn")["losses"]
    assert min(len(run["losses"]), len(expected)) >= 20
    # exp differs by an ULP.
    np.testing.assert_allclose(run["losses"][:20], expected[:20], rtol=5e-6)
    # A control: a step that is missing, or an update of one part alone, is seen.
    assert np.min(np.abs(np.diff(expected[:20]))) > 1e-4
    saved = checkpoints.read(tmp_path / "run" / "model")
    evaluated = [
        event.step
        for path in (tmp_path / "run" / "model" / "eval").iterdir()
        for event in tf.compat.v1.train.summary_iterator(str(path))
        if event.summary.value
    ]
    assert evaluated == [int(saved["global_step"])]


@pytest.mark.parametrize("strategy", ["experimental", "contrib", "config"])
def test_parameter_servers_as_a_strategy(strategy: str, tmp_path: pathlib.Path) -> None:
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


def test_workers_without_a_chief_train_as_with_one(tmp_path: pathlib.Path) -> None:
    """TF_CONFIG with workers alone: the first is the chief."""
    name = "collective_strategies"
    program = estimator_clusters.migrated(name, tmp_path / "program")
    told = 'worker = 0 if task["type"] == "chief" else 1 + task["index"]'
    text = program.read_text()
    assert text.count(told) == 1
    program.write_text(text.replace(told, 'worker = task["index"]'))
    found = estimator_clusters.run(
        sys.executable, program, tmp_path / "run", ps=0, chief="worker"
    )
    expected = estimator_clusters.recorded(name)
    assert set(found) == set(expected)
    for worker, losses in expected.items():
        np.testing.assert_allclose(found[worker], losses, rtol=0, atol=2e-6)


def _own_shards(tmp_path: pathlib.Path, old: str = "", new: str = "") -> np.ndarray:
    program = estimator_clusters.migrated("own_shards", tmp_path / "program")
    if old:
        path = tmp_path / "program" / "estimator_loop" / "training.py"
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))
    found = estimator_clusters.run(sys.executable, program, tmp_path / "run", ps=0)
    return found["losses-0"]


def test_workers_read_their_shards_and_report_one_loss(tmp_path: pathlib.Path) -> None:
    expected = estimator_clusters.recorded("own_shards")["losses-0"]
    assert expected.shape == (8,)
    # Sums over workers and batches in another order: some ULPs of losses up to 6.
    np.testing.assert_allclose(_own_shards(tmp_path), expected, rtol=0, atol=4e-6)


def test_a_loss_of_one_worker_is_seen(tmp_path: pathlib.Path) -> None:
    expected = estimator_clusters.recorded("own_shards")["losses-0"]
    found = _own_shards(tmp_path, "several = strategy", "several = False and strategy")
    assert np.max(np.abs(found - expected)) > 1e-2


def _steps(rows: np.ndarray) -> dict[int, np.ndarray]:
    """The weights after each step at which there was a checkpoint."""
    return {int(row[0]): row[1:] for row in rows}


def test_a_chief_that_is_late_joins_its_worker(tmp_path: pathlib.Path) -> None:
    """Each process joined the other before it made its model, and then asks for a ring.

    A strategy made anew for the ring would forget on the chief what its worker has asked
    by then: the first weights, which it awaits for ever.
    """
    program = estimator_clusters.migrated("keras_workers", tmp_path / "program")
    text, ring = program.read_text(), '  if FLAGS.strategy == "ring":\n'
    assert text.count(ring) == 1
    late = "    if '\"chief\", \"index\"' in os.environ['TF_CONFIG']: time.sleep(3)\n"
    program.write_text("import time\n" + text.replace(ring, ring + late))
    found = estimator_clusters.run(
        sys.executable, program, tmp_path / "run", arguments=["--strategy=ring"], ps=0
    )
    assert 12 in _steps(found["losses-0"])


@pytest.mark.parametrize("strategy", ["servers", "workers", "ring"])
def test_a_compiled_keras_model(strategy: str, tmp_path: pathlib.Path) -> None:
    """The model is made before its Estimator, so before the strategy."""
    name = "keras_servers" if strategy == "servers" else "keras_workers"
    which = estimator_clusters.RUNS[name]
    program = estimator_clusters.migrated(which.program, tmp_path / "program")
    found = _steps(
        estimator_clusters.run(
            sys.executable,
            program,
            tmp_path / "run",
            arguments=[f"--strategy={strategy}"],
            ps=which.ps,
        )["losses-0"]
    )
    expected = _steps(estimator_clusters.recorded(name)["losses-0"])
    both = sorted(found.keys() & expected.keys())
    # Of parameter servers the chief saves after its own steps: in turn, half of them.
    assert 12 in both if which.ps == 0 else both
    for step in both:
        # Products and `tanh` differ by ULPs; momentum adds them up over 12 steps.
        np.testing.assert_allclose(found[step], expected[step], rtol=0, atol=2e-6)
    # A control: a step more, or one worker's own gradients, are other weights.
    steps = sorted(expected)
    moved = [
        np.max(np.abs(expected[a] - expected[b])) for a, b in zip(steps, steps[1:])
    ]
    assert min(moved) > 1e-3


@pytest.mark.parametrize("strategy", ["servers", "workers"])
def test_a_keras_model_that_looks_words_up(
    strategy: str, tmp_path: pathlib.Path
) -> None:
    """Its tables are made in the strategy's scope, and read where its steps run."""
    name = f"looked_up_{strategy}"
    which = estimator_clusters.RUNS[name]
    program = estimator_clusters.migrated(which.program, tmp_path / "program")
    assert "self.words = contrib_lookup.index_table_from_file(" in program.read_text()
    found = _steps(
        estimator_clusters.run(
            sys.executable,
            program,
            tmp_path / "run",
            arguments=which.arguments,
            ps=which.ps,
        )["losses-0"]
    )
    expected = _steps(estimator_clusters.recorded(name)["losses-0"])
    both = sorted(found.keys() & expected.keys())
    # Of parameter servers the chief saves after its own steps: in turn, half of them.
    assert 12 in both if which.ps == 0 else both
    for step in both:
        # exp differs by an ULP; momentum adds that up over 12 steps.
        np.testing.assert_allclose(found[step], expected[step], rtol=0, atol=2e-6)
    # A control: a step more, or one worker's own gradients, are other weights.
    steps = sorted(expected)
    moved = [
        np.max(np.abs(expected[a] - expected[b])) for a, b in zip(steps, steps[1:])
    ]
    assert min(moved) > 1e-3
