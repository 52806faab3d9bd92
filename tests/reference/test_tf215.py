"""Migrated programs compute TensorFlow 1.15.5's numbers on TensorFlow 2.15.1 too.

The oldest TensorFlow 2 that the output promises to run on, in an interpreter of its own.
One run of each strategy, and a fault in each; the scenarios' tests do the rest on this
interpreter's TensorFlow.
"""

from __future__ import annotations

import pathlib

import pytest

from reference import environment, oracle, runner
from reference.environment import TF215
from reference.registry import SCENARIOS
from reference.runner import Trace
from reference.scenario import Fault, Run, Scenario
from tests.reference.conftest import Oracle

# Momentum is bit-equal on TensorFlow 2.21: the slot and every step's loss.
RUNS = (
    ("async_parameter_server", "momentum_float32"),
    ("sync_replicas", "momentum_float32"),
    ("losses_metrics_layers", "float32"),
)
FAULTS = (
    ("async_parameter_server", "momentum_float64"),
    ("sync_replicas", "sgd_float32"),
)


@pytest.fixture(scope="module")
def python() -> str:
    if (
        environment.find(TF215) is None
        and next(environment.pythons(TF215), None) is None
    ):
        wanted = " or ".join(TF215.pythons)
        pytest.skip(f"no Python {wanted} to run TensorFlow 2.15.1 ({TF215.option})")
    return str(environment.make(TF215))


def _trace(
    scenario: Scenario,
    run: Run,
    python: str,
    work: pathlib.Path,
    fault: Fault | None = None,
) -> Trace:
    replaced = {} if fault is None else {fault.file: (fault.old, fault.new)}
    return runner.train(
        scenario,
        run,
        runner.Interpreter(python, tf1=False),
        runner.copied(scenario.migration, work / "program", replaced),
        work,
        initial=oracle.recorded(scenario, run).initial,
        steps=fault.steps if fault else None,
    )


def test_it_is_that_version(python: str) -> None:
    assert oracle.versions(python)["tensorflow"] == TF215.version


@pytest.mark.parametrize(("name", "run_name"), RUNS)
def test_equals_tensorflow_1_15_5(
    name: str, run_name: str, python: str, genuine: Oracle, tmp_path: pathlib.Path
) -> None:
    scenario = SCENARIOS[name]
    run = scenario.run(run_name)
    found = _trace(scenario, run, python, tmp_path)
    divergence = genuine.find_divergence(scenario, run, found)
    assert divergence is None, str(divergence)


@pytest.mark.parametrize(("name", "run_name"), FAULTS)
def test_a_planted_fault_is_seen(
    name: str, run_name: str, python: str, tmp_path: pathlib.Path
) -> None:
    scenario = SCENARIOS[name]
    fault = next(f for f in scenario.faults if f.run == run_name)
    run = scenario.run(run_name)
    found = _trace(scenario, run, python, tmp_path, fault)
    expected = oracle.recorded(scenario, run).trace
    if fault.steps is not None:
        found = oracle.steps_only(found)
        expected = oracle.steps_only(expected, like=found)
    divergence = oracle.compare(scenario, run, expected, found, same_processor=False)
    assert divergence is not None
    assert "step " in divergence.what, str(divergence)
