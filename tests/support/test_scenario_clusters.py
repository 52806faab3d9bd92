"""The Estimator scenarios in clusters: each computes what it does in one process.

With a parameter server the chief trains alone. Two workers that train in step read the
same rows where a loss is a mean, and halves of a batch where it is a sum: either way their
gradients together are those of one process, and so TensorFlow 1.15.5's recorded trace is
what all find. `estimator_layers` is in test_keras_clusters.py.
"""

from __future__ import annotations

import dataclasses
import pathlib

import numpy as np
import pytest

from reference import oracle
from reference.registry import SCENARIOS
from tests.support import estimator_clusters

# What a task of a parameter server runs beside a program that only calls `train`.
_SERVES = """\
import json
import os

if json.loads(os.environ["TF_CONFIG"])["task"]["type"] == "ps":
  import estimator_loop

  estimator_loop.clusters.Cluster(estimator_loop.RunConfig()).serve()
"""
_WORKER = """int('"type": "worker"' in __import__("os").environ["TF_CONFIG"])"""
# Each worker takes every other row of a batch.
_HALVES = {
    "estimator_canned": (
        (
            "    def parse(examples):\n",
            f"    def parse(examples):\n      if seed == 1: examples = examples[{_WORKER}::2]\n",
        ),
    ),
    "estimator_wide_deep": (
        (
            "  train, train_label = rows(1, 8 * BATCH)\n",
            "  train, train_label = rows(1, 8 * BATCH)\n"
            f"  train = {{k: v[{_WORKER}::2] for k, v in train.items()}}\n"
            f"  train_label = train_label[{_WORKER}::2]\n",
        ),
        ("train_label, batch_size=BATCH,", "train_label, batch_size=BATCH // 2,"),
    ),
}


@dataclasses.dataclass(frozen=True)
class _Case:
    """A run of a scenario in a cluster.

    Attributes:
      evaluates: whether the chief does, outside train_and_evaluate.
    """

    scenario: str
    run: str
    evaluates: bool = True


_CASES = (
    _Case("estimator_train_and_evaluate", "sgd", evaluates=False),
    _Case("estimator_classifier", "sgd"),
    _Case("estimator_canned", "linear"),
    _Case("estimator_canned", "dnn"),
    _Case("estimator_wide_deep", "default", evaluates=False),
    _Case("estimator_params_builder", "float32"),
)
# Its optimizer assigns by itself, and nothing says how two workers' values become one.
_NOT_IN_STEP = "estimator_params_builder"


def _program(case: _Case, work: pathlib.Path, servers: bool) -> pathlib.Path:
    text = estimator_clusters.faithful(SCENARIOS[case.scenario]).read_text()
    edits = [] if servers else list(_HALVES.get(case.scenario, ()))
    if case.scenario == _NOT_IN_STEP:
        # Its directory is a temporary one, where a cluster's tasks need one together.
        (work / "shared").mkdir(parents=True)
        edits.append(("tempfile.mkdtemp()", repr(str(work / "shared"))))
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    if servers and ".train(" in text:
        text = text.replace("def main(", f"{_SERVES}\n\ndef main(", 1)
    program = work / "clustered.py"
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(text)
    return program


def _divergence(case: _Case, found: dict[str, oracle.Array]) -> str:
    """Explains how the chief's trace differs from one process of TensorFlow 1.15.5."""
    scenario = SCENARIOS[case.scenario]
    run = scenario.run(case.run)
    trace = {
        key.replace("chief/", "0/"): value
        if key.startswith("chief/")
        else np.expand_dims(value, 0)
        for key, value in found.items()
    }
    expected = oracle.recorded(scenario, run).trace
    if not case.evaluates:  # With TF_CONFIG another task does.
        expected = {k: v for k, v in expected.items() if not k.startswith("0/eval/")}
        trace = {k: v for k, v in trace.items() if not k.startswith("0/eval/")}
    assert "0/loss" in expected and len(expected) > 3
    different = oracle.compare(scenario, run, expected, trace, same_processor=False)
    return "" if different is None else str(different)


def _name(case: _Case) -> str:
    return f"{case.scenario}-{case.run}"


@pytest.mark.parametrize("case", _CASES, ids=_name)
def test_with_a_parameter_server(case: _Case, tmp_path: pathlib.Path) -> None:
    found = estimator_clusters.run(
        tmp_path / "run",
        ps=1,
        workers=1,
        optimizer=case.run,
        scenario=SCENARIOS[case.scenario],
        program=_program(case, tmp_path, servers=True),
    )
    assert not _divergence(case, found)


@pytest.mark.parametrize(
    "case", [c for c in _CASES if c.scenario != _NOT_IN_STEP], ids=_name
)
def test_two_workers_in_step(case: _Case, tmp_path: pathlib.Path) -> None:
    found = estimator_clusters.run(
        tmp_path / "run",
        ps=0,
        workers=2,
        optimizer=case.run,
        scenario=SCENARIOS[case.scenario],
        program=_program(case, tmp_path, servers=False),
    )
    assert not _divergence(case, found)


def test_whole_batches_of_each_worker_are_seen(tmp_path: pathlib.Path) -> None:
    """A control: where a loss is a sum, two whole batches are not one."""
    case = _Case("estimator_canned", "dnn")
    found = estimator_clusters.run(
        tmp_path / "run",
        ps=0,
        workers=2,
        optimizer=case.run,
        scenario=SCENARIOS[case.scenario],
        program=_program(case, tmp_path, servers=True),
    )
    assert _divergence(case, found)


def test_an_optimizer_that_assigns_by_itself_says_so(tmp_path: pathlib.Path) -> None:
    case = _Case(_NOT_IN_STEP, "float32")
    with pytest.raises(RuntimeError, match="nothing says how the values become one"):
        estimator_clusters.run(
            tmp_path / "run",
            ps=0,
            workers=2,
            optimizer=case.run,
            scenario=SCENARIOS[case.scenario],
            program=_program(case, tmp_path, servers=False),
        )
