"""A run that is killed, or that may not read something, leaves nothing behind."""

from __future__ import annotations

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

import pytest

from migrate.disk import write

ROOT = pathlib.Path(write.__file__).parents[2]
OLD = b"import tensorflow as tf\nx = tf.log(2.)\n"
NEW = OLD.replace(b"tf.log", b"tf.math.log")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def _children(process: int) -> list[int]:
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True, text=True
    )
    return [int(word) for word in listed.stdout.split()]


def _gone(process: int) -> bool:
    """Whether a process has ended; it may wait for its new parent to notice."""
    try:
        state = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2]
    except OSError:
        return True
    return state.split()[0] == "Z"


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks at processes")
def test_workers_end_with_a_killed_run(tmp_path: pathlib.Path) -> None:
    for number in range(400):
        (tmp_path / f"{number:03}.py").write_bytes(OLD * 200)
    process = subprocess.Popen(
        [sys.executable, "-m", "migrate", "migrate", str(tmp_path), "--jobs", "2"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=ENVIRONMENT,
    )
    deadline = time.monotonic() + 60
    workers: list[int] = []
    while len(workers) < 2 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
        workers = _children(process.pid)
    assert len(workers) == 2 and process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=30)
    deadline = time.monotonic() + 30
    while not all(map(_gone, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    left = [worker for worker in workers if not _gone(worker)]
    for worker in left:
        os.kill(worker, signal.SIGKILL)
    assert left == []


def test_what_a_killed_run_has_left_is_removed(tmp_path: pathlib.Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait(timeout=30)
    dead = tmp_path / f".tf1to2-{gone.pid}-0"
    alive = tmp_path / f".tf1to2-{os.getpid()}-zz"
    mine = tmp_path / ".tf1to2-notes"
    for path in (dead, alive, mine):
        path.write_bytes(b"x")
    write.write_atomically(tmp_path / "a.py", b"new")
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(
        [alive.name, mine.name, "a.py"]
    )


def test_new_content_has_no_name_before_its_turn(tmp_path: pathlib.Path) -> None:
    """So a program whose files are being written leaves nothing if the run is killed."""
    path = tmp_path / "a.py"
    path.write_bytes(b"old")
    with write.stage_bytes(path, b"new") as stage:
        if hasattr(os, "O_TMPFILE"):
            assert list(tmp_path.iterdir()) == [path]
        assert path.read_bytes() == b"old"
        stage.replace()
        assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


# As a user who may not read all: root may, and gives that up when all is imported.
UNREADABLE = """
import os, sys
from migrate import cli

def run(*arguments):
    try:
        cli.main([*arguments, "--jobs", "1", "--quiet"], standalone_mode=False)
    except SystemExit as end:
        return end.code

known, tree, out = sys.argv[1:]
for mode in ([], ["--diff"], ["--write"]):
    run("migrate", known, *mode)
if not os.geteuid():
    os.seteuid(65534)
print([run("migrate", tree), run("check", tree), run("migrate", tree, "--output", out),
       run("migrate", tree, "--write"), run("migrate", tree + "/closed")])
"""


@pytest.fixture
def place() -> Iterator[pathlib.Path]:
    """A directory that other users can read, too."""
    directory = pathlib.Path(tempfile.mkdtemp())
    directory.chmod(0o777)
    yield directory
    for path in directory.rglob("*"):
        if path.is_dir():
            path.chmod(0o777)
    shutil.rmtree(directory)


def test_what_may_not_be_read_is_told_and_costs_no_other(place: pathlib.Path) -> None:
    for top in ("known", "tree"):
        for inner in ("", "closed", "listed"):
            (place / top / inner).mkdir(exist_ok=True, parents=True)
            (place / top / inner / "a.py").write_bytes(OLD)
    shutil.copy(place / "tree/a.py", place / "known/b.py")
    for path in (place / "tree", place / "tree/a.py"):
        path.chmod(0o777)
    (place / "tree/closed").chmod(0)
    (place / "tree/listed").chmod(0o744)  # It can be listed, and nothing in it read.
    done = subprocess.run(
        [sys.executable, "-c", UNREADABLE]
        + [str(place / name) for name in ("known", "tree", "out")],
        capture_output=True,
        text=True,
        timeout=120,
        env=ENVIRONMENT,
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert done.stdout.splitlines()[-1] == "[2, 2, 2, 2, 2]"
    assert "tree/closed:1:1: E001 cannot be listed: Permission denied" in done.stderr
    assert "listed/a.py:1:1: E001 cannot be read: Permission denied" in done.stderr
    assert "listed/a.py:1:1: E001 cannot be copied: Permission denied" in done.stderr
    assert (place / "tree/a.py").read_bytes() == NEW
    assert (place / "out/a.py").read_bytes() == NEW
