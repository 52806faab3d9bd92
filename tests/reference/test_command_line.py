"""`python -m reference`: what it prints, its exit codes, its pictures."""

from __future__ import annotations

import dataclasses
import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from migrate.extras import install_line
from reference import __main__ as command
from reference import oracle, plot
from reference.registry import SCENARIOS
from reference.scenario import Scenario
from reference.verify import command as verify_command

TOWERS = SCENARIOS["in_graph_towers"]
STALENESS = SCENARIOS["staleness"]
HERE = pathlib.Path(__file__).parents[2]


def _invoke(*arguments: object) -> Result:
    return CliRunner().invoke(command.main, [str(a) for a in arguments])


def _copied(
    scenario: Scenario, root: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> Scenario:
    """The scenario from a copy of its directory, to be changed."""
    shutil.copytree(scenario.directory, root / scenario.name)
    copy = dataclasses.replace(scenario, root=root)
    monkeypatch.setitem(SCENARIOS, scenario.name, copy)
    return copy


def _cells(output: str) -> dict[str, list[str]]:
    """The table's rows by the array's name."""
    rows = (line.split() for line in output.splitlines() if re.match(r"  \w+/", line))
    return {name: cells for name, *cells in rows}


# -- list ------------------------------------------------------------------------------


def test_list_has_a_line_per_scenario() -> None:
    result = _invoke("list")
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.output.splitlines()] == sorted(SCENARIOS)


def test_list_of_one_has_its_runs() -> None:
    result = _invoke("list", "device_pinning")
    assert f"refused ({SCENARIOS['device_pinning'].refused})" in result.output
    result = _invoke("list", "in_graph_towers")
    assert "refused" not in result.output
    for run in TOWERS.runs:
        assert f"  {run.name} ({run.dtype})" in result.output
        assert run.reason in result.output


def test_it_is_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "reference", "--help"],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=HERE,
    )
    assert done.returncode == 0
    for name in ("env", "list", "numerics", "record", "run"):
        assert re.search(rf"^  {name} ", done.stdout, re.MULTILINE)


# -- run -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no_such"], "there are async_parameter_server, "),
        (["staleness", "--run=no_such"], "`python -m reference list staleness`"),
        (["staleness", "--steps=201"], "200 steps are recorded"),
        (["staleness", "--steps=0"], "--steps"),
        (["staleness", "--program=mirrored"], "no program 'mirrored'"),
        (["staleness", "--oracle=none"], "'live'"),
        (["staleness", "--cluster=TF_CONFIG", "--oracle=live"], "--cluster runs"),
    ],
)
def test_a_wrong_command_line(arguments: list[str], message: str) -> None:
    result = _invoke("run", *arguments)
    assert result.exit_code == 2
    assert message in result.output


def test_fewer_steps_and_a_picture(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra `plot` is not installed")
    picture = tmp_path / "losses.png"
    result = _invoke(
        "run",
        "staleness",
        "--run=stale_float64",
        "--run=synchronous_float64",
        "--steps=40",
        f"--plot={picture}",
    )
    assert result.exit_code == 0, result.output
    text = "staleness stale_float64 against recorded TensorFlow 1.15.5"
    assert text in result.output
    assert "to step 20" in result.output  # Half of 40 is each worker's.
    rows = _cells(result.output)
    assert set(rows) == {f"{w}/{name}" for w in (0, 1) for name in ("loss", "w1", "w2")}
    for *differences, _, first, allowed in rows.values():
        # Nothing is allowed but where a recording is another processor's.
        assert allowed in ("0", "1e-10") and first == "-"
        assert len(differences) == 3
        assert max(map(float, differences)) <= float(allowed)
    assert f"wrote {picture}" in result.output
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_runs_are_chosen_by_dtype() -> None:
    result = _invoke("run", "in_graph_towers", "--dtype=float64", "--steps=3")
    assert result.exit_code == 0, result.output
    run = re.findall(r"^in_graph_towers (\w+) against", result.output, re.MULTILINE)
    assert run == [r.name for r in TOWERS.runs if r.dtype == "float64"]


def test_a_difference_is_shown_and_is_the_exit_code(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = _copied(TOWERS, tmp_path, monkeypatch)
    (fault,) = (f for f in copy.faults if f.name == "steps not counted")
    text = copy.migration.read_text()
    copy.migration.write_text(text.replace(fault.old, fault.new))
    result = _invoke("run", "in_graph_towers", f"--run={fault.run}", "--steps=60")
    assert result.exit_code == 1
    # The rate decays after 50 steps; the loss after that update is the first to show it.
    assert re.search(r"DIFFERS: 0/loss/tower_\d: step 51: ", result.output)
    rows = _cells(result.output)
    assert rows["0/loss/tower_0"][-1] == "<--"
    assert rows["0/loss/tower_0"][1] in ("0", "1.11e-16", "2.22e-16")  # To step 10.


@pytest.mark.parametrize("voice", ["compat", "live"])
def test_other_oracles(voice: str, request: pytest.FixtureRequest) -> None:
    if voice == "live":
        request.getfixturevalue("tf1")  # Skips where there is no Python 3.7.
    result = _invoke(
        "run", "in_graph_towers", "--run=no_decay", f"--oracle={voice}", "--steps=30"
    )
    assert result.exit_code == 0, result.output
    said = {
        "compat": "tf.compat.v1 of this TensorFlow",
        "live": "live TensorFlow 1.15.5",
    }
    assert f"no_decay against {said[voice]}" in result.output
    # The weights too, as both have trained 30 steps.
    assert _cells(result.output)["0/final/local1/weights"][0] == "0"


def test_what_is_not_recorded_is_said_with_the_recipe(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = _copied(TOWERS, tmp_path, monkeypatch)
    shutil.rmtree(copy.recorded)
    result = _invoke("run", "in_graph_towers", "--run=no_decay", "--steps=3")
    assert result.exit_code == 1
    assert "run `python -m reference record in_graph_towers`" in result.output
    assert "Traceback" not in result.output


def test_another_processor_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oracle, "recorded_here", lambda scenario, run: False)
    result = _invoke("run", "in_graph_towers", "--run=no_decay", "--steps=3")
    assert result.exit_code == 0, result.output
    assert "recorded on another processor: 5e-05 is allowed" in result.output
    assert _cells(result.output)["0/loss/tower_0"][-1] == "5e-05"


def test_a_program_that_fails_is_quoted(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = _copied(TOWERS, tmp_path, monkeypatch)
    copy.migration.write_text("raise SystemExit('no such luck')\n")
    result = _invoke("run", "in_graph_towers", "--run=no_decay", "--steps=3")
    assert result.exit_code == 1
    assert "no such luck" in result.output


# -- pictures --------------------------------------------------------------------------


def test_a_picture_without_matplotlib(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.find_spec

    def without(name: str, *package: Any) -> Any:
        return None if name == "matplotlib" else found(name, *package)

    monkeypatch.setattr(importlib.util, "find_spec", without)
    result = _invoke("run", "staleness", f"--plot={tmp_path / 'x.png'}")
    assert result.exit_code == 1
    # Before anything was trained.
    assert result.output == f"Error: --plot needs matplotlib: {install_line('plot')}\n"


def test_what_is_drawn() -> None:
    trace = {
        "0/loss": np.ones(5),
        "0/loss/sgd": np.ones(5),
        "0/loss/final": np.ones(1),
        "0/w": np.ones(5),
        "0/losses": np.ones((5, 2)),
    }
    assert set(plot.curves(trace)) == {"0/loss", "0/loss/sgd"}


def test_nothing_to_draw_is_said(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra `plot` is not installed")
    trace = {"0/w": np.ones((5, 2))}
    with pytest.raises(RuntimeError, match="no array of the trace is a loss"):
        plot.losses({"run": (trace, trace)}, tmp_path / "x.png", "title")


# -- record ----------------------------------------------------------------------------


def test_record_replaces_what_is_old_only(
    tf1: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = _copied(TOWERS, tmp_path, monkeypatch)
    copy = dataclasses.replace(copy, runs=(copy.run("no_decay"),))
    monkeypatch.setitem(SCENARIOS, copy.name, copy)
    assert _invoke("record", copy.name, "--stale").output == ""
    with copy.program.open("a") as file:
        file.write("# another\n")
    result = _invoke("record", copy.name, "--stale")
    assert result.exit_code == 0, result.output
    assert result.output.startswith("in_graph_towers: 1 recorded, ")
    oracle.check_fresh(copy, copy.run("no_decay"))
    # What the spec has no more is gone.
    assert [path.stem for path in copy.recorded.glob("*.npz")] == ["no_decay"]
    before = oracle.recorded(TOWERS, TOWERS.run("no_decay")).trace
    after = oracle.recorded(copy, copy.run("no_decay")).trace
    # The one before may be of another processor.
    same = oracle.recorded_here(TOWERS, TOWERS.run("no_decay"))
    assert (
        oracle.compare(copy, copy.run("no_decay"), before, after, same_processor=same)
        is None
    )


@pytest.mark.parametrize("line", ["", "short", "long " * 40])
def test_progress_of_verify_stays_on_its_line(
    monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    shown = verify_command.fit_terminal(line)
    assert shown[0] == "\r" and len(shown) == 40  # Each line covers the one before.
    assert shown[1:].rstrip() == line[:39].rstrip()
