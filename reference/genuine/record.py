"""Runs a program under TensorFlow 1.15.5 and reads what it built: its projection.

The program's files are copied, so that nothing of a checkout is written. What a projection has
is said by `inside/genuine_inside`.
"""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from reference.processes import Hosts, announce

INSIDE = pathlib.Path(__file__).with_name("inside")
LAUNCHER, MANY = INSIDE / "launcher.py", INSIDE / "many.py"
Projected = dict[str, Any]
_QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "MPLBACKEND": "agg"}
_NOT_INHERITED = ("TF2_BEHAVIOR", "PYTHONPATH")
# Beyond the program's own time: TensorFlow's import, and what a process needs to end.
_GRACE = 60.0


@dataclasses.dataclass(frozen=True)
class Started:
    """The settings with which a program is started.

    Attributes:
      root: the directory of its files.
      path: the program, below it.
      arguments: of the command line; `{out}` is a directory that may be written.
      cluster: its tasks; the program is worker 0, and the others answer.
      environment: variables beside this process's.
      prepare: makes files in the directory that `{out}` names.
      packages: a directory with packages for Python 3.7 beside TensorFlow's.
      seconds: after these all that has been built is written, and the program ends.
      everything: all calls are told, with the operations that they added.
    """

    root: pathlib.Path
    path: str
    arguments: tuple[str, ...] = ()
    cluster: Hosts | None = None
    environment: Mapping[str, str] = dataclasses.field(default_factory=dict)
    prepare: Callable[[pathlib.Path], None] | None = None
    packages: pathlib.Path | None = None
    seconds: float = 60.0
    everything: bool = False


def record(python: str, started: Started) -> Projected:
    """The projection of one run; `ended` is "lost" where the process wrote none."""
    return next(record_all(python, [started]))


def record_all(python: str, programs: Iterable[Started]) -> Iterator[Projected]:
    """The projections of programs, one after another, in one order.

    TensorFlow is imported once; a program that needs packages of its own gets a process of its own.
    """
    server: subprocess.Popen[str] | None = None
    try:
        for started in programs:
            if started.packages is None and server is None:
                server = _serve(python)
            yield _record(python, started, None if started.packages else server)
    finally:
        if server is not None:
            server.kill()
            server.wait()


def _serve(python: str) -> subprocess.Popen[str]:
    environment = {
        k: v for k, v in os.environ.items() if k not in _NOT_INHERITED
    } | _QUIET
    announce(python, [str(MANY)], _QUIET)
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [python, "-W", "ignore", str(MANY)],
        env=environment,
        stdin=pipe,
        stdout=pipe,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def _record(
    python: str, started: Started, server: subprocess.Popen[str] | None
) -> Projected:
    with tempfile.TemporaryDirectory(prefix="genuine") as name:
        run = pathlib.Path(name).resolve()
        shutil.copytree(started.root, run / "program", symlinks=True)
        out = run / "out"
        out.mkdir()
        if started.prepare is not None:
            started.prepare(out)
        arguments = [a.format(out=out) for a in started.arguments]
        environment = _environment(started, run)
        command = [str(LAUNCHER), str(run / "program" / started.path), *arguments]
        seconds = started.seconds + _GRACE
        if server is None:
            announce(python, command, _beside_own(environment))
            output = _run(python, command, environment, seconds)
        else:
            output = _order(server, command, environment, seconds, run / "log")
        return _read(run / "projection.json", run, output)


def _order(
    server: subprocess.Popen[str],
    command: Sequence[str],
    environment: Mapping[str, str],
    seconds: float,
    log: pathlib.Path,
) -> str:
    assert server.stdin is not None and server.stdout is not None
    job = {"command": command, "environment": environment}
    server.stdin.write(json.dumps(job | {"seconds": seconds, "log": str(log)}) + "\n")
    server.stdin.flush()
    server.stdout.readline()
    return log.read_text(errors="replace") if log.exists() else ""


def _environment(started: Started, run: pathlib.Path) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k not in _NOT_INHERITED}
    kept |= _QUIET
    for name, value in started.environment.items():
        kept[name] = value.replace("{out}", str(run / "out"))
    if started.packages is not None:
        kept["PYTHONPATH"] = str(started.packages)
    kept |= {
        "GENUINE_OUT": str(run / "projection.json"),
        "GENUINE_RUN": str(run),
        "GENUINE_PROGRAM": str(run / "program"),
        "GENUINE_SECONDS": str(started.seconds),
        "TMPDIR": str(run),
        "HOME": str(run),
        "SDL_VIDEODRIVER": "dummy",
    }
    if started.everything:
        kept["GENUINE_EVERYTHING"] = "1"
    if started.cluster is not None:
        hosts = {"ps": started.cluster.ps, "worker": started.cluster.worker}
        cluster = {job: list(found) for job, found in hosts.items() if found}
        task = {"cluster": cluster, "task": ["worker", 0]}
        kept["GENUINE_CLUSTER"] = json.dumps(task)
    return kept


def _beside_own(environment: Mapping[str, str]) -> dict[str, str]:
    """Returns the variables that this process's environment lacks or has otherwise."""
    return {k: v for k, v in environment.items() if os.environ.get(k) != v}


def _run(
    python: str, command: Sequence[str], environment: Mapping[str, str], seconds: float
) -> str:
    try:
        done = subprocess.run(
            [python, "-W", "ignore", *command],
            env=environment,
            capture_output=True,
            timeout=seconds,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired as error:
        return (error.stderr or b"").decode(errors="replace")
    return done.stderr.decode(errors="replace")


def _read(path: pathlib.Path, run: pathlib.Path, output: str) -> Projected:
    if not path.exists():
        lines = [line for line in output.splitlines() if line.strip()]
        return {
            "ended": "lost",
            "error": lines[-1][:300] if lines else "",
            "graphs": [],
        }
    text = path.read_text()
    # Where the copy was is nobody's fact.
    read: Projected = json.loads(text.replace(str(run), "/run"))
    return read
