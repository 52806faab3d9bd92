"""Files are replaced whole or not at all."""

from __future__ import annotations

import os
import pathlib
import signal
import stat
import subprocess
import sys
import time

import pytest

from migrate.disk import interrupts, write


def test_content_mode_and_directory(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"old")
    path.chmod(0o751)
    write.write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o751
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_file_has_a_new_files_mode(tmp_path: pathlib.Path) -> None:
    old = os.umask(0o027)
    try:
        write.write_atomically(tmp_path / "a.py", b"new")
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "a.py").stat().st_mode) == 0o640


def test_a_link_is_written_through(tmp_path: pathlib.Path) -> None:
    (tmp_path / "sub").mkdir()
    real = tmp_path / "sub" / "real.py"
    real.write_bytes(b"old")
    link, chain = tmp_path / "link.py", tmp_path / "chain.py"
    link.symlink_to("sub/real.py")
    chain.symlink_to("link.py")
    write.write_atomically(chain, b"new")
    assert real.read_bytes() == b"new"
    assert chain.is_symlink() and link.is_symlink()


def test_read_only_is_told_before_anything_is_written(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"old")
    path.chmod(0o444)
    with pytest.raises(PermissionError, match="the file is read-only"):
        write.check_writable(path)
    path.chmod(0o644)
    write.check_writable(path)


def test_a_failure_leaves_the_file_and_no_other(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"old")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write.write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_interrupt_waits_for_the_end_of_the_block() -> None:
    done = []
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        with interrupts.defer_interrupts():
            signal.raise_signal(signal.SIGINT)
            with interrupts.defer_interrupts():
                signal.raise_signal(signal.SIGINT)
            done.append(1)
    assert done == [1]
    assert signal.getsignal(signal.SIGINT) is before


WRITER = """
import pathlib, sys
from migrate.disk import write
path = pathlib.Path(sys.argv[1])
print("ready", flush=True)
for turn in range(100_000):
    write.write_atomically(path, (b"a" if turn % 2 else b"b") * 100_000)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_killed_writer_leaves_a_whole_file(
    number: signal.Signals, tmp_path: pathlib.Path
) -> None:
    path = tmp_path / "a.py"
    for pause in (0.0, 0.003, 0.011):
        path.write_bytes(b"a" * 100_000)
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            time.sleep(pause)
            process.send_signal(number)
            process.wait(timeout=30)
        assert path.read_bytes() in (b"a" * 100_000, b"b" * 100_000)
        if number != signal.SIGKILL:  # Nobody can tidy up after that.
            assert list(tmp_path.iterdir()) == [path]
