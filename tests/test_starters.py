"""A run of tests keeps few processes with TensorFlow."""

from __future__ import annotations

import pathlib
import sys

from reference import processes
from reference.preloaded import Preloaded
from tests.starters import FewStarters

SCRIPT = "import os, sys, time\nprint(os.environ['NUMBER'])\ntime.sleep(float(sys.argv[1]))\n"


def _make(python: str, environment: tuple[tuple[str, str], ...]) -> Preloaded:
    return Preloaded(python, processes.environment_with(dict(environment)))


def _start(
    few: FewStarters, number: int, seconds: float, where: pathlib.Path
) -> Preloaded:
    script = where / "program.py"
    script.write_text(SCRIPT)
    environment = {"NUMBER": str(number)}
    made = few(sys.executable, tuple(environment.items()))
    log = where / f"{number}.txt"
    whole = processes.environment_with(environment)
    started = made.start([str(script), str(seconds)], log, whole, where)
    if not seconds:
        assert started.wait(60) == 0 and log.read_text().endswith(f"{number}\n")
    return made


def test_what_was_not_used_lately_is_closed(tmp_path: pathlib.Path) -> None:
    few = FewStarters(_make, 1)
    first = _start(few, 1, 0.0, tmp_path)
    second = _start(few, 2, 0.0, tmp_path)
    few.close_unused()
    assert list(few.made().values()) == [second]
    assert first._process.poll() is not None and second._process.poll() is None
    assert _start(few, 1, 0.0, tmp_path) is not first  # Made anew, and it works.
    few.close_unused()
    assert second._process.poll() is not None
    next(iter(few.made().values())).close()


def test_what_still_runs_a_program_stays(tmp_path: pathlib.Path) -> None:
    few = FewStarters(_make, 1)
    busy = _start(few, 1, 60.0, tmp_path)
    other = _start(few, 2, 0.0, tmp_path)
    few.close_unused()
    assert list(few.made().values()) == [busy, other]
    busy.close()
    other.close()
