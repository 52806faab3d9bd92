"""Programs of one process - plain sessions, monitored ones without a server - are run.

What they write is compared with what genuine TensorFlow 1.15.5 wrote, recorded in
`tests/programs/alone/tf1.json` by `python -m tests.migrate.test_alone PYTHON3.7`.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.pipeline import support_source

HERE = pathlib.Path(__file__).parents[1] / "programs" / "alone"
PROGRAMS = sorted(p for p in HERE.glob("[!_r]*.py"))
RECORDED = HERE / "tf1.json"
# Float32 losses of order 1: a few ULPs, and up to 1e-6 where ten steps of momentum
# carry them on. The fault below moves them by 1e-3 and more.
TOLERANCE = 3e-6
ENVIRONMENT = {
    "TF_CPP_MIN_LOG_LEVEL": "2",
    "TF_ENABLE_ONEDNN_OPTS": "0",
    "CUDA_VISIBLE_DEVICES": "",
}
Traces = dict[str, list[tuple[int, float]]]


def _run(python: str, programs: list[pathlib.Path], out: pathlib.Path) -> Traces:
    """What each program writes, run one after another in one process."""
    environment = {k: v for k, v in os.environ.items() if k != "TF2_BEHAVIOR"}
    done = subprocess.run(
        [python, str(HERE / "run_all.py"), str(out), *map(str, programs)],
        env={**environment, **ENVIRONMENT},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return {p.stem: _trace(out / p.stem / "loss.0") for p in programs}


def _trace(path: pathlib.Path) -> list[tuple[int, float]]:
    pairs = [line.split() for line in path.read_text().splitlines()]
    return [(int(step), float(value)) for step, value in pairs]


def _digest(path: pathlib.Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _worst(one: list[tuple[int, float]], other: list[tuple[int, float]]) -> float:
    assert [step for step, _ in one] == [step for step, _ in other]
    return max(abs(a - b) for (_, a), (_, b) in zip(one, other, strict=True))


def _migrated(path: pathlib.Path) -> str:
    migration = migrate_text(path.read_text(), filename=str(path))
    loud = [
        f for f in migration.findings if f.outcome in (Outcome.REFUSED, Outcome.FAILED)
    ]
    assert not loud
    assert "plain_session.py" in migration.support
    return migration.text


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> Traces:
    directory = tmp_path_factory.mktemp("migrated")
    programs = []
    for path in PROGRAMS:
        programs.append(directory / path.name)
        programs[-1].write_text(_migrated(path))
    fault = (directory / "graph_in_session.py").read_text()
    assert fault.count("Optimizer(0.1)") == 1
    programs.append(directory / "fault.py")
    programs[-1].write_text(fault.replace("Optimizer(0.1)", "Optimizer(0.11)"))
    for name in ("plain_session.py", "training_session.py"):
        (directory / name).write_bytes(support_source(name))
    return _run(sys.executable, programs, tmp_path_factory.mktemp("out") / "tf2")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_equals_recorded_tf1(program: pathlib.Path, traces: Traces) -> None:
    recorded = json.loads(RECORDED.read_text())[program.stem]
    assert recorded["digest"] == _digest(program), "record it again"
    old = [(int(step), float(value)) for step, value in recorded["trace"]]
    assert len(old) >= 6
    assert _worst(traces[program.stem], old) <= TOLERANCE


def test_another_rate_is_noticed(traces: Traces) -> None:
    assert _worst(traces["fault"], traces["graph_in_session"]) > 100 * TOLERANCE


def test_recordings_are_what_tf1_writes(tf1: str, tmp_path: pathlib.Path) -> None:
    live = _run(tf1, PROGRAMS, tmp_path / "tf1")
    recorded = json.loads(RECORDED.read_text())
    for name, trace in live.items():
        old = [(int(step), float(value)) for step, value in recorded[name]["trace"]]
        assert _worst(trace, old) <= TOLERANCE  # Another CPU may round otherwise.


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_a_second_run_changes_nothing(program: pathlib.Path) -> None:
    once = _migrated(program)
    assert migrate_text(once).text == once


def record(python: str) -> None:
    """Writes what TensorFlow 1.15.5 gives, with the programs' digests."""
    with tempfile.TemporaryDirectory() as directory:
        live = _run(python, PROGRAMS, pathlib.Path(directory) / "tf1")
    rows = {
        path.stem: {
            "tensorflow": "1.15.5",
            "digest": _digest(path),
            "trace": live[path.stem],
        }
        for path in PROGRAMS
    }
    RECORDED.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    record(sys.argv[1])
