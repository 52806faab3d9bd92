"""Started programs, and what starts them, do not outlive the process that wants them."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

from reference import processes
from reference.preloaded import Preloaded

ROOT = pathlib.Path(__file__).parents[2]
# A process that has a Preloaded, and a child that keeps the pipe to it open.
_HOLDS = """
import os, sys, time
from reference import processes
from reference.preloaded import Preloaded

made = Preloaded(sys.executable, dict(os.environ))
child = os.fork()
if child:
    print(made._process.pid, child, flush=True)
time.sleep(120)
"""


def _runs(pid: int) -> bool:
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2]
    except OSError:
        return False
    return state.split()[0] != "Z"


def test_it_ends_when_the_other_side_is_killed() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    other = subprocess.Popen(
        [sys.executable, "-c", _HOLDS], stdout=subprocess.PIPE, env=environment
    )
    assert other.stdout is not None
    preloaded, child = map(int, other.stdout.readline().split())
    try:
        time.sleep(1)
        assert _runs(preloaded)
        other.kill()
        other.wait(30)
        deadline = time.monotonic() + 120  # It may still be importing TensorFlow.
        while _runs(preloaded) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not _runs(preloaded)
    finally:
        os.kill(child, signal.SIGKILL)
        if _runs(preloaded):
            os.kill(preloaded, signal.SIGKILL)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells children")
def test_a_program_ends_when_what_started_it_is_killed(tmp_path: pathlib.Path) -> None:
    program = tmp_path / "waits.py"
    program.write_text("import time\ntime.sleep(300)\n")
    made = Preloaded(sys.executable, dict(os.environ))
    started = made.start([str(program)], tmp_path / "log", os.environ, tmp_path)
    try:
        assert _runs(started.pid)
        made._process.kill()
        deadline = time.monotonic() + 60
        while _runs(started.pid) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not _runs(started.pid)
    finally:
        if _runs(started.pid):
            os.kill(started.pid, signal.SIGKILL)


def test_a_program_that_does_not_end_says_where_it_stands(
    tmp_path: pathlib.Path,
) -> None:
    program = tmp_path / "waits.py"
    program.write_text(
        "import threading\n\n\n"
        "def for_nothing():\n    threading.Event().wait()\n\n\n"
        "for_nothing()\n"
    )
    with pytest.raises(processes.TasksFailed) as raised:
        processes.run_tasks(
            sys.executable, program, [], tmp_path, ps=0, timeout=20, preloaded=True
        )
    assert "in for_nothing\n" in str(raised.value)
