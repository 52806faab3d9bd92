"""Migrated programs against what TensorFlow 1.15.5 was recorded to compute.

These need no Python 3.7. `test_parity.py` compares with the live one.
"""

from __future__ import annotations

import dataclasses
import pathlib
import shutil

import numpy as np
import pytest

from migrate.compiler import migrate_text
from reference import environment, oracle, parity
from reference.compare import first_divergence
from reference.registry import SCENARIOS
from reference.scenario import Run, Scenario

RUNS = [(s, r) for s in SCENARIOS.values() for r in s.runs]
_names = [f"{s.name}-{r.name}" for s, r in RUNS]


def _run(scenario: str, name: str) -> tuple[Scenario, Run]:
    found = SCENARIOS[scenario]
    return found, next(r for r in found.runs if r.name == name)


@pytest.mark.parametrize(("scenario", "run"), RUNS, ids=_names)
def test_recording_is_fresh(scenario: Scenario, run: Run) -> None:
    recording = oracle.recorded(scenario, run)
    for worker in range(scenario.workers):
        losses = recording.trace[f"loss/{worker}"]
        assert losses.shape == (scenario.steps,)
        assert losses[-10:].mean() < losses[:10].mean()  # It learns.


@pytest.mark.parametrize("changed", ["tf1.py", "spec.py"])
def test_a_recording_older_than_its_sources_is_an_error(
    changed: str, tmp_path: pathlib.Path
) -> None:
    scenario, run = _run("async_parameter_server", "sgd")
    shutil.copytree(scenario.directory, tmp_path / scenario.name)
    copy = dataclasses.replace(scenario, root=tmp_path)
    oracle.recorded(copy, run)
    with (copy.directory / changed).open("a") as file:
        file.write("# another\n")
    with pytest.raises(oracle.Stale, match=changed):
        oracle.recorded(copy, run)


@pytest.mark.parametrize("name", sorted(SCENARIOS))
def test_recordings_are_small(name: str) -> None:
    files = SCENARIOS[name].recorded.iterdir()
    assert sum(p.stat().st_size for p in files) < 300_000


@pytest.mark.parametrize(("scenario", "run"), RUNS, ids=_names)
def test_migration_equals_recording(
    scenario: Scenario, run: Run, tmp_path: pathlib.Path
) -> None:
    recording = oracle.recorded(scenario, run)
    found = oracle.migrated(scenario, run, tmp_path, recording.initial)
    divergence = first_divergence(
        recording.trace, found, oracle.tolerance(scenario, run)
    )
    assert divergence is None, str(divergence)


@pytest.mark.parametrize(
    ("scenario", "run"),
    [_run("async_parameter_server", "adam"), _run("sync_replicas", "adagrad")],
    ids=lambda value: value.name,
)
def test_genuine_tf1_reproduces_its_recording(
    scenario: Scenario, run: Run, tmp_path: pathlib.Path
) -> None:
    python = environment.find_tf1()
    if python is None:
        pytest.skip("no Python 3.7 with TensorFlow 1.15.5 on this machine")
    recording = oracle.recorded(scenario, run)
    found = oracle.live(scenario, run, str(python), tmp_path, recording.initial)
    # On the same processor to the last bit.
    here = oracle.tolerance(scenario, dataclasses.replace(run, tolerance=0.0))
    divergence = first_divergence(recording.trace, found, here)
    assert divergence is None, str(divergence)


def _faulty(scenario: Scenario, work: pathlib.Path, old: str, new: str) -> pathlib.Path:
    program = parity.migrated(scenario.program, work / "program")
    text = program.read_text()
    assert text == migrate_text(scenario.program.read_text()).text
    assert old in text
    program.write_text(text.replace(old, new))
    return program


@pytest.mark.parametrize(
    ("scenario", "name", "old", "new"),
    [
        (
            "async_parameter_server",
            "adam",
            "AdamOptimizer(learning_rate)",
            "AdamOptimizer(learning_rate, epsilon=1e-5)",
        ),
        (
            "async_parameter_server",
            "sgd",
            "seed=FLAGS.seed)",
            "seed=FLAGS.seed + 1)",
        ),
        ("sync_replicas", "adagrad", "replicas.average(gradients)", "gradients"),
        (
            "sync_replicas",
            "sgd",
            "seed=FLAGS.seed + task_index)",
            "seed=FLAGS.seed + 1 - task_index)",
        ),
    ],
    ids=["epsilon", "batches", "sum-not-mean", "workers-swapped"],
)
def test_planted_fault_is_seen(
    scenario: str, name: str, old: str, new: str, tmp_path: pathlib.Path
) -> None:
    chosen, run = _run(scenario, name)
    recording = oracle.recorded(chosen, run)
    faulty = _faulty(chosen, tmp_path, old, new)
    found = oracle.migrated(chosen, run, tmp_path, recording.initial, faulty)
    # Also with the widest tolerance there is.
    assert first_divergence(recording.trace, found, oracle.ELSEWHERE) is not None


@pytest.mark.parametrize(
    ("scenario", "name"),
    [("async_parameter_server", "adagrad"), ("sync_replicas", "adagrad_slow")],
)
def test_wrong_initial_accumulator_is_seen(
    scenario: str, name: str, tmp_path: pathlib.Path
) -> None:
    # The accumulator is restored from the checkpoint, so the fault is planted there.
    chosen, run = _run(scenario, name)
    recording = oracle.recorded(chosen, run)
    slots = {k: v + np.float32(0.01) for k, v in recording.initial.items() if "Adagrad" in k}
    assert slots
    found = oracle.migrated(chosen, run, tmp_path, {**recording.initial, **slots})
    found = {k: v for k, v in found.items() if k.startswith("loss/")}
    losses = {k: v for k, v in recording.trace.items() if k.startswith("loss/")}
    assert first_divergence(losses, found, oracle.ELSEWHERE) is not None
