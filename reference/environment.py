"""Finds, or makes, a Python 3.7 with genuine TensorFlow 1.15.5."""

from __future__ import annotations

import functools
import os
import pathlib
import shutil
import subprocess
from collections.abc import Iterator

PINNED = ("tensorflow==1.15.5", "protobuf<3.21")
_PROBE = "import tensorflow as tf; print(tf.__version__)"
_VERSION = "import sys; print('%d.%d' % sys.version_info[:2])"


def cache_directory() -> pathlib.Path:
    """Where the made environment lives."""
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "tf1to2" / "tf-1.15.5"


def _output(command: list[str], timeout: float = 60.0) -> str:
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=timeout, env=environment
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def pythons() -> Iterator[pathlib.Path]:
    """Python 3.7 interpreters: TF1_PYTHON, pyenv's, uv's, then PATH's."""
    candidates: list[pathlib.Path] = []
    if os.environ.get("TF1_PYTHON"):
        candidates.append(pathlib.Path(os.environ["TF1_PYTHON"]))
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT") or pathlib.Path.home() / ".pyenv")
    candidates += sorted(pyenv.glob("versions/3.7*/bin/python"))
    uv = pathlib.Path.home() / ".local/share/uv/python"
    candidates += sorted(uv.glob("cpython-3.7*/bin/python"))
    found = shutil.which("python3.7")
    if found:
        candidates.append(pathlib.Path(found))
    for candidate in candidates:
        if candidate.exists() and _output([str(candidate), "-c", _VERSION]) == "3.7":
            yield candidate


@functools.cache
def find_tf1() -> pathlib.Path | None:
    """An interpreter that has TensorFlow 1.15.5, without installing anything."""
    made = cache_directory() / "bin" / "python"
    for candidate in [*([made] if made.exists() else []), *pythons()]:
        if _output([str(candidate), "-c", _PROBE]) == "1.15.5":
            return candidate
    return None


def make() -> pathlib.Path:
    """The interpreter with TensorFlow 1.15.5, made in the cache if need be.

    Raises:
      RuntimeError: there is no Python 3.7, or the installation failed.
    """
    found = find_tf1()
    if found is not None:
        return found
    base = next(pythons(), None)
    if base is None:
        raise RuntimeError("no Python 3.7 found; set TF1_PYTHON to one")
    directory = cache_directory()
    for command in (
        [str(base), "-m", "venv", "--clear", str(directory)],
        [str(directory / "bin" / "python"), "-m", "pip", "install", "-q", *PINNED],
    ):
        done = subprocess.run(command, capture_output=True, text=True, timeout=900)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    find_tf1.cache_clear()
    found = find_tf1()
    if found is None:
        raise RuntimeError("TensorFlow 1.15.5 was installed but does not import")
    return found
