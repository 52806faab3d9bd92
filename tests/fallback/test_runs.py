"""Programs in graph mode on this TensorFlow compute what TensorFlow 1.15.5 computed.

The fallback is for what is refused; here it is given every session program of the suite,
because all of them were recorded under TensorFlow 1.15.5.
"""

from __future__ import annotations

import json
import pathlib
import sys

import pytest

from migrate.beside import files as beside
from migrate.compiler import migrate_text
from migrate.fallback.module import (
    TOLD,
    Part,
    bring_to_compat,
    names_compat,
    says_tf1,
)
from migrate.findings import Outcome
from migrate.options import Options
from reference import oracle, processes, runner
from reference.registry import SCENARIOS
from reference.scenario import Order, Scenario

# Of one program or cluster, on a machine that does other work.
_SECONDS = 900
pytestmark = pytest.mark.timeout(_SECONDS + 100)
HERE = pathlib.Path(__file__).parent
ALONE = HERE.parents[0] / "programs" / "alone"
PROGRAMS = sorted(p for p in ALONE.glob("[!_r]*.py"))
# Float32 losses of order 1: a few ULPs, and up to 1e-6 where ten steps of momentum
# carry them on. The faults below move them by 1e-3 and more.
TOLERANCE = 3e-6
# Name -> a program, and what is wrong in its text.
FAULTS = {
    "another_rate": ("graph_in_session", "Optimizer(0.1)", "Optimizer(0.11)"),
    "another_constant": ("own_server", "x + 300", "x + 301"),
    "cells_without_peepholes": (
        "cells_stacked",
        "use_peepholes=True",
        "use_peepholes=False",
    ),
}


def _brought(
    path: pathlib.Path, target: pathlib.Path, old: str = "", new: str = ""
) -> None:
    """Writes a program in graph mode."""
    text = path.read_text()
    part = Part(named_for_2=names_compat(text) and not says_tf1(text))
    found = bring_to_compat(text, Options(), str(path), part)
    assert not [f for f in found.findings if f.code not in TOLD], found.findings
    assert old in found.text
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(found.text.replace(old, new) if old else found.text)


def _run(
    path: pathlib.Path, directory: pathlib.Path, old: str = "", new: str = ""
) -> list[list[float]]:
    """Runs a program in graph mode and returns the numbers of each line."""
    program = directory / "program" / path.name
    _brought(path, program, old, new)
    beside.write(program.parent, program.read_text())
    processes.run_tasks(
        sys.executable,
        HERE / "run_one.py",
        [],
        directory / "logs",
        ps=0,
        environment=runner.ENVIRONMENT,
        timeout=_SECONDS,
        command_line=lambda *task: [str(directory / "run"), str(program)],
        preloaded=True,
    )
    return [
        [float(number) for number in line.split()]
        for written in sorted((directory / "run").glob("loss*"))
        for line in written.read_text().splitlines()
    ]


def _recorded(name: str) -> list[list[float]]:
    found: list[list[float]] = json.loads((ALONE / "tf1.json").read_text())[name][
        "trace"
    ]
    return found


@pytest.mark.parametrize("name", [p.stem for p in PROGRAMS])
def test_equals_recorded_tf1(name: str, tmp_path: pathlib.Path) -> None:
    found, expected = _run(ALONE / f"{name}.py", tmp_path), _recorded(name)
    assert len(found) == len(expected) > 0
    for one, other in zip(found, expected, strict=True):
        assert one == pytest.approx(other, rel=0, abs=TOLERANCE)


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_seen(name: str, tmp_path: pathlib.Path) -> None:
    program, old, new = FAULTS[name]
    found = _run(ALONE / f"{program}.py", tmp_path, old, new)
    expected = _recorded(program)
    assert len(found) == len(expected)
    assert any(
        one != pytest.approx(other, rel=0, abs=TOLERANCE)
        for one, other in zip(found, expected, strict=True)
    )


# -- clusters --------------------------------------------------------------------------

_GRAPHS = [
    SCENARIOS[name]
    for name in (
        *("async_parameter_server", "device_pinning", "in_graph_towers"),
        "metrics_cells_regularisers",
    )
]


@pytest.mark.parametrize("scenario", _GRAPHS, ids=lambda s: s.name)
def test_scenario_equals_tensorflow_1_15_5(
    scenario: Scenario, tmp_path: pathlib.Path
) -> None:
    run = scenario.runs[0]
    program = tmp_path / "program" / "tf1.py"
    _brought(scenario.program, program)
    beside.write(program.parent, program.read_text())
    measure = oracle.recorded(scenario, run)
    gated = scenario.topology_of(run).order is not Order.FREE
    interpreter = runner.Interpreter(
        sys.executable,
        tf1=True,
        before=(str(HERE / "with_tf1_names.py"),) if gated else (),
        preloaded=False,
    )
    found = runner.train(
        scenario, run, interpreter, program, tmp_path, initial=measure.initial
    )
    divergence = oracle.compare(
        scenario, run, measure.trace, found, same_processor=False
    )
    assert divergence is None, str(divergence)


def test_the_refused_scenarios_are_among_them() -> None:
    refused = {
        s.name
        for s in _GRAPHS
        if any(
            f.outcome is Outcome.REFUSED
            for f in migrate_text(s.program.read_text()).findings
        )
    }
    assert refused == {"device_pinning", "metrics_cells_regularisers"}
