"""The variant programs are what they claim: they run under TensorFlow 1.15.5."""

from __future__ import annotations

import math
import pathlib

import pytest

from reference import parity, processes
from reference.environment import find_tf1
from tests.programs.more_programs import MORE, prepare
from tests.programs.programs import Variant


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
        environment=parity.ENVIRONMENT,
        command_line=lambda *task: [
            *processes.flag_arguments(*task),
            f"--dir={tmp_path}",
        ],
    )
    traces = parity.losses(tmp_path, variant.workers)
    assert sum(map(len, traces)) >= variant.lines
    assert all(math.isfinite(loss) for trace in traces for loss in trace)
    # It learns: a program that does not move would agree with anything.
    assert all(trace[0] != trace[-1] for trace in traces)
