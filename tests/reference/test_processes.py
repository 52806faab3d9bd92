"""A program that is stopped leaves no process of its own, which would keep its ports."""

from __future__ import annotations

import os
import pathlib
import sys
import time

import pytest

from reference import processes

PROGRAM = """import multiprocessing, pathlib, sys, time
def wait():
    time.sleep(300)
if __name__ == "__main__":
    child = multiprocessing.Process(target=wait)
    child.start()
    pathlib.Path(sys.argv[1]).write_text(str(child.pid))
    child.join()
"""


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # One that has ended waits until somebody asks for its end.
    state = pathlib.Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no process groups")
def test_what_a_stopped_program_started_is_stopped(tmp_path: pathlib.Path) -> None:
    script, told = tmp_path / "program.py", tmp_path / "pid"
    script.write_text(PROGRAM)
    command = [sys.executable, str(script), str(told)]
    with processes._process(command, tmp_path / "log", dict(os.environ), None):
        until = time.monotonic() + 60.0
        while not (told.exists() and told.read_text()):
            assert time.monotonic() < until
            time.sleep(0.05)
        child = int(told.read_text())
        assert _is_alive(child)
    until = time.monotonic() + 10.0
    while _is_alive(child) and time.monotonic() < until:
        time.sleep(0.05)
    assert not _is_alive(child)
