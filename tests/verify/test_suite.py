"""`tf1to2 verify` of the suite's own pairs, and of the faults planted in them."""

from __future__ import annotations

import pathlib
import re

import pytest

from reference import runner
from reference.environment import find_tf1
from reference.registry import SCENARIOS
from reference.scenario import Fault
from reference.verify.runs import LAUNCHER
from reference.verify.suite import (
    NOTEBOOKS,
    Case,
    judge_fault,
    list_replaced,
    notebook_pairs,
    verify_case,
    verify_notebooks,
)
from reference.verify.verdict import Outcome
from tests import ledger
from tests.verify.faults import FIRST
from tests.verify.support import unproven

PAIRS = sorted(name for name, scenario in SCENARIOS.items() if scenario.runs)
FAULTS = [
    (name, fault.name) for name in sorted(SCENARIOS) for fault in SCENARIOS[name].faults
]


@pytest.fixture(scope="module")
def python() -> str:
    found = find_tf1()
    if found is None:
        pytest.skip("no Python 3.7 with TensorFlow 1.15.5 on this machine")
    return str(found)


def _foresee(name: str, directory: pathlib.Path, fault: Fault | None = None) -> None:
    """Tells the ledger both programs of a proof before the first of them runs."""
    scenario = SCENARIOS[name]
    written, replaced = list_replaced(scenario, fault)
    runner.copied(written, directory, replaced)
    ledger.rests_on(LAUNCHER, scenario.program, directory)


@pytest.mark.parametrize("name", PAIRS)
def test_a_pair_is_equal(name: str, python: str, tmp_path: pathlib.Path) -> None:
    _foresee(name, tmp_path / "foreseen")
    scenario = SCENARIOS[name]
    case = Case(scenario, scenario.runs[0])
    verdict = verify_case(case, tmp_path / "case", python, steps=20)
    assert verdict.outcome is Outcome.EQUAL, unproven(verdict)
    assert verdict.comparison is not None
    assert min(verdict.comparison.steps) >= min(20, scenario.steps)


def test_it_is_known_what_every_fault_shows_first() -> None:
    assert [(name, fault) for name in sorted(FIRST) for fault in FIRST[name]] == FAULTS


@pytest.mark.parametrize(("name", "fault"), FAULTS)
def test_a_planted_fault_is_seen_where_it_is(
    name: str, fault: str, python: str, tmp_path: pathlib.Path
) -> None:
    scenario = SCENARIOS[name]
    (planted,) = [f for f in scenario.faults if f.name == fault]
    _foresee(name, tmp_path / "foreseen", planted)
    case = Case(scenario, scenario.run(planted.run), planted)
    (tmp_path / "work").mkdir()
    verdict = judge_fault(case, tmp_path / "work", python, 200, {})
    assert verdict.outcome is Outcome.DIFFERENT, verdict.line
    shown = verdict.variable or verdict.first
    assert shown is not None
    assert re.fullmatch(FIRST[name][fault], _named(shown.name)), verdict.line


def _named(name: str) -> str:
    """A row's name without the worker, the graph, or the file that it is of."""
    name = re.sub(r" \((worker|graph) \d+\)", "", name)
    return name.rpartition(".npz ")[2]


# What is fed, the loss, the gradients, what is done with them.
STAGES = {
    ("async_parameter_server", "batches"): "is other data",
    ("async_parameter_server", "rate"): "the update differs",
}


@pytest.mark.parametrize(("name", "fault"), STAGES)
def test_the_part_of_a_step_is_named(
    name: str, fault: str, python: str, tmp_path: pathlib.Path
) -> None:
    scenario = SCENARIOS[name]
    (planted,) = [f for f in scenario.faults if f.name == fault]
    _foresee(name, tmp_path / "foreseen", planted)
    case = Case(scenario, scenario.run(planted.run), planted)
    verdict = verify_case(case, tmp_path / "case", python, steps=10)
    assert verdict.outcome is Outcome.DIFFERENT
    assert STAGES[name, fault] in verdict.stage


@pytest.mark.parametrize("name", notebook_pairs())
def test_paired_notebooks_are_equal(
    name: str, python: str, tmp_path: pathlib.Path
) -> None:
    pair = [NOTEBOOKS / f"{name}_{side}.ipynb" for side in ("tf1", "tf2")]
    ledger.rests_on(LAUNCHER, *pair, ledger.COMPILER / "support")
    verdict = verify_notebooks(name, tmp_path / "pair", python, steps=10)
    assert verdict.outcome is Outcome.EQUAL, unproven(verdict)
    assert verdict.comparison is not None
    assert min(verdict.comparison.steps) >= 10
