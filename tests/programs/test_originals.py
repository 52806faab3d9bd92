"""The variant programs are what they claim: they run under TensorFlow 1.15.5."""

from __future__ import annotations

import math
import pathlib

import pytest

from reference import processes, runner
from reference.environment import find_tf1
from tests.programs.more_programs import MORE, prepare
from tests.programs.programs import Variant


def _losses(path: pathlib.Path) -> list[float]:
    """Of a file with a line "step loss" per step."""
    return [float(line.split()[1]) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("variant", MORE, ids=lambda v: v.name)
def test_runs_under_genuine_tf1(variant: Variant, tmp_path: pathlib.Path) -> None:
    python = find_tf1()
    if python is None:
        pytest.skip("no Python 3.7 with TensorFlow 1.15.5 on this machine")
    prepare(variant, tmp_path)
    processes.run_tasks(
        str(python),
        variant.path,
        [],
        tmp_path,
        ps=variant.ps,
        workers=variant.workers,
        environment=runner.ENVIRONMENT,
        command_line=lambda *task: [
            *processes.flag_arguments(*task),
            f"--dir={tmp_path}",
        ],
    )
    traces = [_losses(tmp_path / f"loss.{w}") for w in range(variant.workers)]
    assert sum(map(len, traces)) >= variant.lines
    assert all(math.isfinite(loss) for trace in traces for loss in trace)
    # It learns: a program that does not move would agree with anything.
    # (Of two asynchronous workers one may come when all but its one step are done.)
    moved = [trace[0] != trace[-1] for trace in traces if len(trace) > 1]
    assert moved and all(moved)
