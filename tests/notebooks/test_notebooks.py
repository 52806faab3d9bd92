"""The paired notebooks: what their sources say, what the tool writes, and executed."""

from __future__ import annotations

import copy
import json
import pathlib
import sys

import nbclient
import nbformat
import numpy as np
import pytest

from migrate import emitted
from reference import environment, processes, runner
from reference.notebooks import build, story
from tests import ledger

PAIRS = build.stories()


def committed(name: str) -> nbformat.NotebookNode:
    return nbformat.read(build.NOTEBOOKS / f"{name}.ipynb", as_version=4)


def test_nothing_else_is_there() -> None:
    expected = {f"{n}{kind}" for n in PAIRS for kind in ("", "_tf1", "_tf2")}
    assert {path.stem for path in build.NOTEBOOKS.glob("*.ipynb")} == expected


@pytest.mark.parametrize("name", PAIRS)
def test_the_pair_is_the_source_and_what_the_tool_writes_for_it(name: str) -> None:
    old, new = build.pair(name)
    assert (build.NOTEBOOKS / f"{name}_tf1.ipynb").read_bytes() == old
    assert (build.NOTEBOOKS / f"{name}_tf2.ipynb").read_bytes() == new
    for kind in ("", "_tf1", "_tf2"):
        nbformat.validate(committed(f"{name}{kind}"))


@pytest.mark.parametrize("name", PAIRS)
def test_a_story_is_executed_and_its_outputs_are_those_of_its_source(name: str) -> None:
    ledger.rests_on(ledger.COMPILER, ledger.ROOT / "reference", build.NOTEBOOKS)
    made = build.executed(name)
    assert [c.source for c in made.cells] == [c.source for c in committed(name).cells]
    if environment.find_tf1() is None:
        return  # It was compared with recordings; digits may be another processor's.
    assert build.told(made) == build.told(committed(name))


def test_other_outputs_are_seen() -> None:
    made = committed(PAIRS[0])
    changed = copy.deepcopy(made)
    told = next(c for c in changed.cells if "story.compare" in c.source)
    told.outputs[0].text += "more"
    assert build.told(changed) != build.told(made)


def test_a_migrated_notebook_runs_in_a_kernel(tmp_path: pathlib.Path) -> None:
    """As worker 0's, beside a parameter server."""
    ledger.rests_on(ledger.COMPILER / "support", build.NOTEBOOKS)
    name = "async_parameter_server_tf2.ipynb"
    emitted.write(emitted.list_files("training_session"), tmp_path)
    cells = pathlib.Path(build.__file__).with_name("cells.py")
    (tmp_path / "cells.py").write_bytes(cells.read_bytes())
    hosts = processes.Hosts.on_loopback(1, 1)
    cluster = story.Cluster(ps=1)

    def of_task(job: str) -> dict[str, str]:
        return {
            **runner.ENVIRONMENT,
            "TF_CONFIG": cluster.tf_config(job, 0, hosts),
            "TRAIN_STEPS": "20",
            "TRACE": str(tmp_path / "trace"),
        }

    ps = [sys.executable, str(tmp_path / "cells.py"), str(build.NOTEBOOKS / name)]
    with processes.started(ps, tmp_path / "ps.log", of_task("ps")):
        client = nbclient.NotebookClient(
            nbformat.read(build.NOTEBOOKS / name, as_version=4),
            timeout=300,
            resources={"metadata": {"path": str(tmp_path)}},
        )
        client.execute(env={**processes.environment_with(), **of_task("worker")})
    with np.load(tmp_path / "trace-0.npz") as trace:
        assert len(trace["loss"]) == 20 and trace["loss"][-1] < trace["loss"][0]


# -- without TensorFlow 1 --------------------------------------------------------------


@pytest.fixture
def no_tf1(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "find_tf1", lambda: None)


def test_recordings_take_its_place(no_tf1: None, tmp_path: pathlib.Path) -> None:
    assert "recorded" in story.said()
    places = sorted(story._RECORDED.iterdir())
    assert {place.name.rpartition("-")[0] for place in places} == set(PAIRS)
    for place in places:
        name, _, steps = place.name.rpartition("-")
        directory = tmp_path / place.name
        directory.mkdir()
        saved = directory if name == "checkpoint_continuation" else None
        trace = story.tf1(name, story.Cluster(1), int(steps), checkpoints=saved)
        story.compare(trace, trace, allowed=0)
        if saved:
            assert f"model.ckpt-{steps}" in (directory / "checkpoint").read_text()
            assert (directory / f"model.ckpt-{steps}.index").exists()


def test_a_recording_of_another_program_is_an_error(
    no_tf1: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(story, "_digest", lambda name: "another")
    with pytest.raises(LookupError, match="has changed"):
        story.tf1("partitioners", story.Cluster(2), 100)


@pytest.mark.parametrize("fault", ["value", "length", "array"])
def test_a_difference_is_an_error(fault: str) -> None:
    expected = {"0/loss": np.array([1.0, 0.5], np.float32)}
    found = {
        "value": {"0/loss": np.array([1.0, np.nextafter(np.float32(0.5), 1)])},
        "length": {"0/loss": np.array([1.0])},
        "array": {"1/loss": expected["0/loss"]},
    }[fault]
    with pytest.raises(AssertionError):
        story.compare(expected, found, allowed=0)


def test_tf_config_of_every_task() -> None:
    cluster = story.Cluster(ps=1, roles=("chief", "worker", "evaluator"))
    hosts = processes.Hosts(("p:1",), ("c:1", "w:1", "e:1"))
    found = [json.loads(cluster.tf_config(*task, hosts)) for task in cluster.tasks()]
    members = {"ps": ["p:1"], "chief": ["c:1"], "worker": ["w:1"]}
    assert [f["cluster"] for f in found] == [members] * 4
    kinds = [(f["task"]["type"], f["task"]["index"]) for f in found]
    assert kinds == [("ps", 0), ("chief", 0), ("worker", 0), ("evaluator", 0)]
