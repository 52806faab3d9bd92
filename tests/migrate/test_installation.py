"""`python -m tf1to2` in a project whose files have names of the standard library's modules."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

from migrate import run

ROOT = pathlib.Path(run.__file__).parents[1]
BLOCKED = "import tensorflow as tf\ns = tf.Session()\nprint(s)\n"
RIVAL = "raise ImportError('the user has a module of this name, too')\n"
# A worker process that is not a copy of the first one makes its own path.
SPAWN = (
    "import multiprocessing, runpy, sys\n"
    "multiprocessing.set_start_method('spawn')\n"
    "sys.argv[0] = 'tf1to2'\n"
    "runpy.run_module('tf1to2', run_name='__main__', alter_sys=True)\n"
)


@pytest.fixture
def project(tmp_path: pathlib.Path) -> pathlib.Path:
    for name in ("queue", "typing", "click", "libcst"):
        (tmp_path / f"{name}.py").write_text(RIVAL)
    (tmp_path / "migrate").mkdir()
    (tmp_path / "migrate" / "__init__.py").write_text(RIVAL)
    for number in range(run._FEW + 1):
        (tmp_path / f"train{number}.py").write_text(BLOCKED)
    return tmp_path


def _start(project: pathlib.Path, *start: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(map(str, (ROOT / "migrate" / "installation", ROOT)))
    return subprocess.run(
        [sys.executable, *start],
        cwd=project,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.parametrize("start", [("-m", "tf1to2"), ("-c", SPAWN)])
def test_a_users_modules_do_not_stand_for_other_ones(
    project: pathlib.Path, start: tuple[str, ...]
) -> None:
    done = _start(project, *start, "migrate", ".", "--no-cache", "--jobs", "2")
    assert "Error" not in done.stderr and done.returncode == 1, done.stderr
    # As many as there are: of a file whose worker process died, the program failed.
    assert f"programs: {run._FEW + 1} refused (unchanged);" in done.stdout


def test_the_current_directory_may_be_ours() -> None:
    """In the checkout the packages are there, though the directory is not on the path."""
    done = _start(ROOT, "-m", "tf1to2", "--version")
    assert "version" in done.stdout + done.stderr
