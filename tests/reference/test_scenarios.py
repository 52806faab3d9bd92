"""Every scenario: its tf2.py, its recordings, its oracles and its planted faults.

What is asked of a scenario is the same for all, so a new directory `reference/<name>`
is tested without a line here. Migrations are compared with what TensorFlow 1.15.5 was
recorded to compute, which needs no Python 3.7; where there is one, the recording is
reproduced by the genuine one.
"""

from __future__ import annotations

import pathlib

import numpy as np
import numpy.typing as npt
import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.options import Options
from reference import numerics, oracle
from reference.compare import table
from reference.registry import SCENARIOS
from reference.scenario import Alternative, Fault, Run, Scenario
from tests.reference.conftest import Oracle

ALL = sorted(SCENARIOS.values(), key=lambda s: s.name)
RUNS = [pytest.param(s, r, id=f"{s.name}-{r.name}") for s in ALL for r in s.runs]
FAULTS = [pytest.param(s, f, id=f"{s.name}-{f.name}") for s in ALL for f in s.faults]
COMPARED = [
    pytest.param(s, r, a, id=f"{s.name}-{r.name}-{a.name if a else 'tf2'}")
    for s in ALL
    for r in s.runs
    for a in numerics.programs(s, r)
]
each_scenario = pytest.mark.parametrize("scenario", ALL, ids=lambda s: s.name)


def _one_per_kind(scenario: Scenario) -> list[Run]:
    """The first run of every dtype and cluster."""
    kinds: dict[object, Run] = {}
    for run in scenario.runs:
        kinds.setdefault((run.dtype, scenario.topology_of(run)), run)
    return list(kinds.values())


# -- what is committed -----------------------------------------------------------------


@each_scenario
def test_tf2_is_what_the_tool_writes(scenario: Scenario) -> None:
    migration = migrate_text(scenario.migrated.read_text())
    refused = {f.code for f in migration.findings if f.outcome is Outcome.REFUSED}
    if scenario.refused is None:
        assert not refused
        assert scenario.migration.read_text() == migration.text
    else:
        assert scenario.refused in refused
    for alternative in scenario.alternatives:
        if alternative.estimators:
            options = Options(estimators=alternative.estimators)
            migration = migrate_text(scenario.migrated.read_text(), options)
            written = scenario.directory / alternative.program
            assert written.read_text() == migration.text


@pytest.mark.parametrize(("scenario", "run"), RUNS)
def test_recording_is_fresh_and_of_tensorflow_1_15_5(
    scenario: Scenario, run: Run
) -> None:
    recording = oracle.recorded(scenario, run)
    assert oracle.provenance(scenario)[run.name]["versions"]["tensorflow"] == "1.15.5"
    for worker in range(scenario.topology_of(run).writers):
        assert any(key.startswith(f"{worker}/") for key in recording.trace)
    floats = {str(v.dtype) for v in recording.trace.values() if v.dtype.kind == "f"}
    assert run.dtype in floats
    steps = [len(values) for values in recording.trace.values()]
    assert max(steps) * scenario.topology_of(run).writers >= 100


@each_scenario
def test_recordings_are_small(scenario: Scenario) -> None:
    files = scenario.recorded.glob("*") if scenario.runs else ()
    assert sum(path.stat().st_size for path in files) < 1_000_000


@each_scenario
def test_there_is_a_control(scenario: Scenario) -> None:
    assert scenario.faults or not scenario.runs


# -- the migration ---------------------------------------------------------------------


@pytest.mark.parametrize(("scenario", "run", "alternative"), COMPARED)
def test_migration_equals_tensorflow_1_15_5(
    scenario: Scenario,
    run: Run,
    alternative: Alternative | None,
    genuine: Oracle,
    tmp_path: pathlib.Path,
) -> None:
    initial = oracle.recorded(scenario, run).initial
    found = oracle.migrated(scenario, run, tmp_path, initial, alternative=alternative)
    divergence = genuine.find_divergence(scenario, run, found)
    assert divergence is None, str(divergence)


@pytest.mark.parametrize(("scenario", "fault"), FAULTS)
def test_planted_fault_is_seen(
    scenario: Scenario, fault: Fault, tmp_path: pathlib.Path
) -> None:
    run = scenario.run(fault.run)
    recording = oracle.recorded(scenario, run)
    found = oracle.migrated(
        scenario, run, tmp_path, recording.initial, fault=fault, steps=fault.steps
    )
    expected = recording.trace
    if fault.steps is not None:
        found = oracle.steps_only(found)
        expected = oracle.steps_only(expected, like=found)
    # Also with the widest tolerance there is.
    divergence = oracle.compare(scenario, run, expected, found, same_processor=False)
    assert divergence is not None
    # A trace that lacks a key, or is empty, is a failure of another kind.
    assert "step " in divergence.what, str(divergence)


# -- the other voices ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scenario", "run"),
    [
        pytest.param(s, r, id=f"{s.name}-{r.name}")
        for s in ALL
        for r in _one_per_kind(s)
    ],
)
def test_genuine_tf1_reproduces_its_recording(
    scenario: Scenario, run: Run, tf1: str, tmp_path: pathlib.Path
) -> None:
    # A run of its own: the ledger has no key for a test that starts no process.
    recording = oracle.recorded(scenario, run)
    found = oracle.live(scenario, run, tf1, tmp_path, recording.initial)
    if not oracle.recorded_here(scenario, run):
        divergence = oracle.compare(
            scenario, run, recording.trace, found, same_processor=False
        )
        assert divergence is None, str(divergence)
        return
    # On the same processor to the last bits: on a loaded machine the threads of a sum
    # have been seen to take its parts in another order, twice (float64; one ULP in a
    # loss, 3.3e-16 in a weight after sixty steps).
    found = oracle.sampled(found, recording.trace)
    assert found.keys() == recording.trace.keys()
    rows = [row for row in table(recording.trace, found) if row.difference]
    wrong = [
        row
        for row in rows
        if not row.difference <= _last_bits(recording.trace[row.name])
    ]
    assert not wrong


def _last_bits(value: npt.NDArray[np.generic]) -> float:
    """Four units in the last place of an array's largest number; of others than floats 0."""
    if value.dtype.kind != "f" or not value.size:
        return 0.0
    return 4 * float(np.finfo(value.dtype).eps) * float(np.max(np.abs(value)))


@each_scenario
def test_compat_v1_says_the_same(
    scenario: Scenario, genuine: Oracle, tmp_path: pathlib.Path
) -> None:
    if not scenario.runs:
        pytest.skip("nothing of this scenario is recorded; its own tests run it")
    if scenario.no_compat:
        pytest.skip(f"tf.compat.v1 cannot run it: {scenario.no_compat}")
    run = scenario.runs[0]
    initial = oracle.recorded(scenario, run).initial
    found = oracle.compat(scenario, run, tmp_path, initial)
    divergence = genuine.find_divergence(scenario, run, found)
    assert divergence is None, str(divergence)


# -- the page of numbers ---------------------------------------------------------------


def test_numerics_page_is_what_was_measured() -> None:
    recipe = "run `python -m reference numerics`"
    pages = numerics.pages(ALL)
    written = {numerics.PAGE, *numerics.PAGE.with_suffix("").glob("*.md")}
    assert written == set(pages), recipe
    for path, text in pages.items():
        assert path.read_text() == text, recipe


@pytest.mark.parametrize(("scenario", "run", "alternative"), COMPARED)
def test_every_run_was_measured(
    scenario: Scenario, run: Run, alternative: Alternative | None
) -> None:
    assert numerics.is_fresh(scenario, run, alternative), (
        f"run `python -m reference numerics {scenario.name}`"
    )


@each_scenario
def test_nothing_else_was_measured(scenario: Scenario) -> None:
    names = {
        numerics.key(r, a)
        for r in scenario.runs
        for a in numerics.programs(scenario, r)
    }
    assert set(numerics.measured(scenario)) == names
