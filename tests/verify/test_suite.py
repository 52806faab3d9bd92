"""`tf1to2 verify` of the suite's own pairs, and of faults planted in them.

A few of each kind: `python -m reference.verify.suite` has all pairs, with `--notebooks` the
paired notebooks, and with `--faults` all planted faults.
"""

from __future__ import annotations

import pathlib

import pytest

from reference.environment import find_tf1
from reference.registry import SCENARIOS
from reference.verify.suite import Case, verify_case, verify_notebooks
from reference.verify.verdict import Outcome
from tests.verify.support import unproven

# A session whose towers share a process, one that reads files, an Estimator, clusters of two
# workers, one that holds variables under Keras's names, one that reads before it updates,
# and one that no tool has written.
EQUAL = (
    *("in_graph_towers", "queue_input", "estimator_layers", "async_parameter_server"),
    *("half_migrated", "staleness", "device_pinning"),
)
# The planted fault, and variables one of which shows it first: a rule of the update is
# wrong for all of them.
_TRAINED = ("hid_w", "hid_b", "sm_w", "sm_b")
FAULTS = {
    ("async_parameter_server", "epsilon"): _TRAINED,
    ("sync_replicas", "sum instead of mean"): _TRAINED,
}


@pytest.fixture(scope="module")
def python() -> str:
    found = find_tf1()
    if found is None:
        pytest.skip("no Python 3.7 with TensorFlow 1.15.5 on this machine")
    return str(found)


@pytest.mark.parametrize("name", EQUAL)
def test_a_pair_is_equal(name: str, python: str, tmp_path: pathlib.Path) -> None:
    scenario = SCENARIOS[name]
    case = Case(scenario, scenario.runs[0])
    verdict = verify_case(case, tmp_path / "case", python, steps=20)
    assert verdict.outcome is Outcome.EQUAL, unproven(verdict)
    assert verdict.comparison is not None
    assert min(verdict.comparison.steps) >= 20


@pytest.mark.parametrize(("name", "fault"), FAULTS)
def test_a_planted_fault_is_seen(
    name: str, fault: str, python: str, tmp_path: pathlib.Path
) -> None:
    scenario = SCENARIOS[name]
    (planted,) = [f for f in scenario.faults if f.name == fault]
    case = Case(scenario, scenario.run(planted.run), planted)
    verdict = verify_case(case, tmp_path / "case", python, steps=10)
    assert verdict.outcome is Outcome.DIFFERENT
    assert verdict.variable is not None
    assert verdict.variable.name in FAULTS[name, fault]
    assert verdict.variable.first == 0
    assert verdict.stage


def test_where_a_variable_lives_is_seen_in_what_is_written(
    python: str, tmp_path: pathlib.Path
) -> None:
    scenario = SCENARIOS["device_pinning"]
    (planted,) = [f for f in scenario.faults if f.name == "all weights on one server"]
    case = Case(scenario, scenario.run(planted.run), planted)
    verdict = verify_case(case, tmp_path / "case", python, steps=200)
    assert verdict.outcome is Outcome.DIFFERENT
    assert verdict.first is not None
    assert verdict.first.kind == "file"
    assert verdict.first.name.endswith("trace.0.npz stored_by")


def test_paired_notebooks_are_equal(python: str, tmp_path: pathlib.Path) -> None:
    verdict = verify_notebooks("towers", tmp_path, python, steps=10)
    assert verdict.outcome is Outcome.EQUAL, unproven(verdict)
    assert verdict.comparison is not None
    assert min(verdict.comparison.steps) == 10
