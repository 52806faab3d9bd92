"""Finds, or makes, Pythons with other TensorFlows than this one's.

Genuine TensorFlow 1.15.5 on Python 3.7 is the measure. TensorFlow 2.15.1 is the oldest
that migrated programs run on, and its compat.v1 the measure where nothing has 1.15.5.
"""

from __future__ import annotations

import dataclasses
import functools
import os
import pathlib
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

import filelock

from reference import container

Say = Callable[[str], None]


@dataclasses.dataclass(frozen=True)
class Release:
    """One TensorFlow and the Pythons that can have it.

    Attributes:
      version: of TensorFlow.
      pinned: what is installed.
      pythons: versions of Python, the preferred first.
      option: the environment variable that names an interpreter.
      image: the container image that has it, of the Dockerfile beside this module.
      uv: the version of uv that downloads such a Python, where newer ones do not.
    """

    version: str
    pinned: tuple[str, ...]
    pythons: tuple[str, ...]
    option: str
    image: str = ""
    uv: str = ""


TF1 = Release(
    "1.15.5",
    ("tensorflow==1.15.5", "protobuf<3.21"),
    ("3.7",),
    "TF1_PYTHON",
    "tf1to2/tensorflow:1.15.5",
    "0.5.0",  # 0.7 and later have no download of Python 3.7.
)
TF215 = Release(
    "2.15.1",
    ("tensorflow==2.15.1", "tf-keras==2.15.1"),
    ("3.11", "3.10", "3.9"),
    "TF215_PYTHON",
)
# A download of half a gigabyte, over a line that is not fast.
_SECONDS = 1800.0
_PROBE = "import tensorflow as tf; print(tf.__version__)"
# TensorFlow starts in seconds. On a busy machine it may take minutes.
_STARTS = 600.0
_VERSION = "import sys; print('%d.%d' % sys.version_info[:2])"


def cache_directory(release: Release = TF1) -> pathlib.Path:
    """Returns the directory of the environment that is made."""
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "tf1to2" / f"tf-{release.version}"


class Busy(RuntimeError):
    """An interpreter did not answer in time: what it has is not known."""


def _output(command: list[str], timeout: float = _STARTS) -> str:
    """Returns what a command prints; "" if it fails.

    Raises:
      Busy: it did not end in time.
    """
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=timeout, env=environment
        )
    except OSError:
        return ""
    except subprocess.TimeoutExpired as error:
        raise Busy(
            f"{command[0]} did not answer within {timeout:.0f} s; the machine may be "
            "busy, so try again"
        ) from error
    return done.stdout.strip() if done.returncode == 0 else ""


def pythons(release: Release = TF1) -> Iterator[pathlib.Path]:
    """Interpreters that can have it: the option's, pyenv's, uv's, PATH's, this one."""
    candidates: list[pathlib.Path] = []
    if os.environ.get(release.option):
        candidates.append(pathlib.Path(os.environ[release.option]))
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT") or pathlib.Path.home() / ".pyenv")
    data = os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local/share"
    uv = pathlib.Path(
        os.environ.get("UV_PYTHON_INSTALL_DIR") or pathlib.Path(data) / "uv/python"
    )
    for version in release.pythons:
        candidates += sorted(pyenv.glob(f"versions/{version}*/bin/python"))
        candidates += sorted(uv.glob(f"cpython-{version}*/bin/python"))
        found = shutil.which(f"python{version}")
        if found:
            candidates.append(pathlib.Path(found))
    candidates.append(pathlib.Path(sys.executable))
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


@dataclasses.dataclass(frozen=True)
class Oracle:
    """The interpreter that runs TensorFlow 1 programs.

    Attributes:
      side: "tf1", or "compat" where it is TensorFlow 2's compat.v1.
      name: for verdicts; says why it is not TensorFlow 1.15.5.
    """

    python: pathlib.Path
    side: str
    name: str


def find_oracle(say: Say = lambda line: None) -> Oracle:
    """TensorFlow 1.15.5, found or made; without any way to it, 2.15.1's compat.v1.

    Raises:
      RuntimeError: neither can be had, or an interpreter does not answer.
    """
    try:
        return Oracle(make(TF1, say), "tf1", f"TensorFlow {TF1.version}")
    except Busy:
        raise
    except RuntimeError as error:
        why = str(error).partition("\n")[0]
        say(f"no TensorFlow {TF1.version}: {why}")
        try:
            python = make(TF215, say)
        except RuntimeError as other:
            raise RuntimeError(f"{error}\n{other}") from other
        name = f"TensorFlow {TF215.version}'s compat.v1, for {why}"
        return Oracle(python, "compat", name)


def make(release: Release = TF1, say: Say = lambda line: None) -> pathlib.Path:
    """The interpreter that has it, made in the cache if need be.

    Args:
      say: is told what is done, line by line.

    Raises:
      RuntimeError: there is no way to one, or the installation failed.
    """
    found = find(release)
    if found is not None:
        return found
    directory = cache_directory(release)
    ways = list(_ways(release, directory))
    if not ways:
        wanted = " or ".join(release.pythons)
        engines = " and no container engine" if release.image else ""
        raise RuntimeError(
            f"no Python {wanted} was found, no uv to install one{engines}; set "
            f"{release.option} to one"
        )
    directory.parent.mkdir(parents=True, exist_ok=True)
    with filelock.FileLock(f"{directory}.lock"):  # Two may want it at the same time.
        find.cache_clear()
        failures = []
        for way, install in ways:
            if find(release) is not None:
                break
            say(f"installing TensorFlow {release.version} into {directory}, by {way}")
            try:
                install(say)
            except RuntimeError as error:
                failures.append(f"{way}: {error}")
            find.cache_clear()
    found = find(release)
    if found is None:
        told = "\n".join(failures) or "it was installed but does not import"
        raise RuntimeError(f"TensorFlow {release.version} was not installed.\n{told}")
    return found


Install = Callable[[Say], None]


def _ways(release: Release, directory: pathlib.Path) -> Iterator[tuple[str, Install]]:
    """Yields the ways to install a release, in the order in which they are tried."""
    base = next(pythons(release), None)
    if base is not None:
        commands = venv_commands(release, base, directory)
        yield f"{base}", functools.partial(_run_all, directory, commands)
    uv = find_uv()
    if uv is not None:
        commands = uv_commands(release, uv, directory)
        yield f"uv ({uv})", functools.partial(_run_all, directory, commands)
    engine = container.find_engine()
    if engine is not None and release.image:
        yield (
            f"{pathlib.Path(engine).name}, in a container",
            functools.partial(_install_container, engine, release.image, directory),
        )


def find_uv() -> str | None:
    """The uv of PATH, or the one that is installed as a package here."""
    found = shutil.which("uv")
    if found is None:
        beside = pathlib.Path(sys.executable).parent / "uv"
        found = str(beside) if beside.exists() else None
    return found


def venv_commands(
    release: Release, base: pathlib.Path, directory: pathlib.Path
) -> list[list[str]]:
    """Makes an environment of a Python that is there."""
    python = str(directory / "bin" / "python")
    return [
        [str(base), "-m", "venv", str(directory)],
        [python, "-m", "pip", "install", "--progress-bar", "off", *release.pinned],
    ]


def uv_commands(release: Release, uv: str, directory: pathlib.Path) -> list[list[str]]:
    """Makes an environment of a Python that uv downloads, if it finds none itself."""
    python = str(directory / "bin" / "python")
    maker = [uv]
    if release.uv:
        maker += ["tool", "run", "--from", f"uv=={release.uv}", "uv"]
    # Its own Pythons alone: pyenv's shims are found on PATH, but do not run.
    chosen = ["--python-preference", "only-managed", "--python", release.pythons[0]]
    return [
        [*maker, "venv", "--no-project", *chosen, str(directory)],
        [uv, "pip", "install", "--python", python, *release.pinned],
    ]


def _run_all(
    directory: pathlib.Path, commands: Sequence[Sequence[str]], say: Say
) -> None:
    shutil.rmtree(directory, ignore_errors=True)  # What an interrupt has left.
    for command in commands:
        run_and_tell(command, say, {"UV_PYTHON_DOWNLOADS": "automatic"})


def _install_container(
    engine: str, image: str, directory: pathlib.Path, say: Say
) -> None:
    shutil.rmtree(directory, ignore_errors=True)
    run_and_tell(container.build_command(engine, image), say, {})
    container.write_interpreter(engine, image, directory / "bin" / "python")


def run_and_tell(
    command: Sequence[str], say: Say, environment: Mapping[str, str]
) -> None:
    """Runs a command and tells each line that it prints as it comes.

    Raises:
      RuntimeError: it failed, or took too long; with what it printed last.
    """
    last: list[str] = []
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env={**os.environ, **environment},
        )
    except OSError as error:
        raise RuntimeError(f"{command[0]}: {error}") from error
    deadline = time.monotonic() + _SECONDS
    try:
        assert process.stdout is not None
        for line in process.stdout:
            line = line.strip()
            if line:
                say(line)
                last = [*last[-20:], line]
            if time.monotonic() > deadline:
                raise RuntimeError(f"{' '.join(command)} took over {_SECONDS:.0f} s")
        code = process.wait(max(1.0, deadline - time.monotonic()))
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    if code:
        raise RuntimeError(f"{' '.join(command)} failed: " + "\n".join(last))
