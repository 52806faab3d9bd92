"""The process that programs are started from does not outlive the one that wants them."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).parents[2]
# A process that has a Preloaded, and a child that keeps the pipe to it open.
_HOLDS = """
import os, sys, time
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
