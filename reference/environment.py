"""Finds, or makes, Pythons with other TensorFlows than this one's.

Genuine TensorFlow 1.15.5 on Python 3.7 is the measure. TensorFlow 2.15.1 is the oldest
that migrated programs run on.
"""

from __future__ import annotations

import dataclasses
import functools
import os
import pathlib
import shutil
import subprocess
from collections.abc import Iterator

import filelock


@dataclasses.dataclass(frozen=True)
class Release:
    """One TensorFlow and the Pythons that can have it.

    Attributes:
      version: of TensorFlow.
      pinned: what is installed.
      pythons: versions of Python, the preferred first.
      option: the environment variable that names an interpreter.
    """

    version: str
    pinned: tuple[str, ...]
    pythons: tuple[str, ...]
    option: str


TF1 = Release("1.15.5", ("tensorflow==1.15.5", "protobuf<3.21"), ("3.7",), "TF1_PYTHON")
TF215 = Release(
    "2.15.1",
    ("tensorflow==2.15.1", "tf-keras==2.15.1"),
    ("3.11", "3.10", "3.9"),
    "TF215_PYTHON",
)
_PROBE = "import tensorflow as tf; print(tf.__version__)"
_VERSION = "import sys; print('%d.%d' % sys.version_info[:2])"


def cache_directory(release: Release = TF1) -> pathlib.Path:
    """Where the made environment lives."""
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "tf1to2" / f"tf-{release.version}"


def _output(command: list[str], timeout: float = 60.0) -> str:
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=timeout, env=environment
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def pythons(release: Release = TF1) -> Iterator[pathlib.Path]:
    """Interpreters that can have it: the option's, pyenv's, uv's, then PATH's."""
    candidates: list[pathlib.Path] = []
    if os.environ.get(release.option):
        candidates.append(pathlib.Path(os.environ[release.option]))
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT") or pathlib.Path.home() / ".pyenv")
    uv = pathlib.Path.home() / ".local/share/uv/python"
    for version in release.pythons:
        candidates += sorted(pyenv.glob(f"versions/{version}*/bin/python"))
        candidates += sorted(uv.glob(f"cpython-{version}*/bin/python"))
        found = shutil.which(f"python{version}")
        if found:
            candidates.append(pathlib.Path(found))
    for candidate in candidates:
        if (
            candidate.exists()
            and _output([str(candidate), "-c", _VERSION]) in release.pythons
        ):
            yield candidate


@functools.cache
def find(release: Release) -> pathlib.Path | None:
    """An interpreter that has it, without installing anything."""
    made = cache_directory(release) / "bin" / "python"
    for candidate in [*([made] if made.exists() else []), *pythons(release)]:
        if _output([str(candidate), "-c", _PROBE]) == release.version:
            return candidate
    return None


def find_tf1() -> pathlib.Path | None:
    """An interpreter that has TensorFlow 1.15.5, without installing anything."""
    return find(TF1)


def make(release: Release = TF1) -> pathlib.Path:
    """The interpreter that has it, made in the cache if need be.

    Raises:
      RuntimeError: there is no such Python, or the installation failed.
    """
    found = find(release)
    if found is not None:
        return found
    base = next(pythons(release), None)
    if base is None:
        wanted = " or ".join(release.pythons)
        raise RuntimeError(f"no Python {wanted} found; set {release.option} to one")
    directory = cache_directory(release)
    directory.parent.mkdir(parents=True, exist_ok=True)
    with filelock.FileLock(f"{directory}.lock"):  # Two may want it at the same time.
        find.cache_clear()
        if find(release) is None:
            _install(release, base, directory)
    find.cache_clear()
    found = find(release)
    if found is None:
        raise RuntimeError(
            f"TensorFlow {release.version} was installed but does not import"
        )
    return found


def _install(release: Release, base: pathlib.Path, directory: pathlib.Path) -> None:
    for command in (
        [str(base), "-m", "venv", "--clear", str(directory)],
        [
            *(str(directory / "bin" / "python"), "-m", "pip", "install", "-q"),
            *release.pinned,
        ],
    ):
        done = subprocess.run(command, capture_output=True, text=True, timeout=900)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
