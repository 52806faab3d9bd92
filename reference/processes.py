"""A program's tasks as separate processes on this machine, bounded in time."""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import functools
import os
import pathlib
import random
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from reference.preloaded import Preloaded, Started

# What importing TensorFlow 2 sets in this process. A TF 1.15 child that inherits it
# executes eagerly; a program's tasks start as they would from a shell.
_NOT_INHERITED = frozenset({"TF2_BEHAVIOR"})


# Below what systems give to outgoing connections (Linux from 32768, others from 49152),
# so that none takes a port between its choice and the server's start.
_PORTS = range(20000, 32768)


def free_ports(count: int) -> list[int]:
    """Ports of the loopback interface that were free a moment ago, drawn at random."""
    found: list[int] = []
    for port in random.SystemRandom().sample(_PORTS, len(_PORTS)):
        if len(found) == count:
            break
        with contextlib.suppress(OSError), socket.socket() as one:
            one.bind(("localhost", port))
            found.append(port)
    return found


@dataclasses.dataclass(frozen=True)
class Hosts:
    """Addresses of a cluster's tasks, "localhost:port"."""

    ps: tuple[str, ...]
    worker: tuple[str, ...]

    @classmethod
    def on_loopback(cls, ps: int, workers: int) -> Hosts:
        addresses = [f"localhost:{port}" for port in free_ports(ps + workers)]
        return cls(tuple(addresses[:ps]), tuple(addresses[ps:]))


@dataclasses.dataclass(frozen=True)
class Ended:
    """One ended task: its exit code (None: it was stopped) and what it printed."""

    task: str
    code: int | None
    output: str


class TasksFailed(RuntimeError):
    """A worker did not end with exit code 0 in time."""


CommandLine = Callable[[str, int, Hosts], Sequence[str]]


@dataclasses.dataclass(frozen=True)
class Launch:
    """The settings of a program's processes, known before they start.

    Attributes:
      python: the interpreter.
      command: scripts and arguments of all tasks; ports of a cluster count from 1.
      environment: what they get beside this process's.
      inherited: this process's environment.
    """

    python: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    inherited: Mapping[str, str]


# Each is called before processes start, and may raise to prevent it. The tests' ledger
# of proofs knows by it what a proof depends on.
before_launch: list[Callable[[Launch], None]] = []


def announce(
    python: str, command: Sequence[str], environment: Mapping[str, str] | None = None
) -> None:
    """Tells those who listen that processes are about to start."""
    launch = Launch(python, tuple(command), dict(environment or {}), dict(os.environ))
    for listener in before_launch:
        listener(launch)


def flag_arguments(job: str, index: int, hosts: Hosts) -> list[str]:
    """The classic command line: hosts, job and index as flags."""
    return [
        f"--job_name={job}",
        f"--task_index={index}",
        "--ps_hosts=" + ",".join(hosts.ps),
        "--worker_hosts=" + ",".join(hosts.worker),
    ]


def run_tasks(
    python: str,
    program: pathlib.Path | Sequence[str],
    arguments: Sequence[str],
    directory: pathlib.Path,
    *,
    ps: int = 1,
    workers: int = 1,
    client: bool = False,
    serving: bool = False,
    environment: Mapping[str, str] | None = None,
    timeout: float = 120.0,
    command_line: CommandLine = flag_arguments,
    task_environment: Callable[[str, int, Hosts], Mapping[str, str]] | None = None,
    worker_delay: float = 0.0,
    preloaded: bool = False,
    servers_end: bool = False,
    enough: Callable[[], bool] = lambda: False,
) -> list[Ended]:
    """Runs every task of `program`; returns when all workers have ended with 0.

    Parameter servers are stopped then if they still run (TF1's never end). Each
    task's output goes to `directory/<job>-<index>.log`.

    Args:
      client: one more task, job "client", trains; the workers too are servers then.
      serving: worker 0 alone trains; the other workers are servers.
      timeout: seconds for all workers together.
      worker_delay: seconds between the chief's start and the other workers'
        (TF1's second worker waits 30 s if it finds no session of the chief).
      preloaded: the tasks start with TensorFlow imported already (`preloaded.py`).
      servers_end: parameter servers end by themselves, and are waited for.
      enough: whether all is there that is wanted of workers which may never end.

    Raises:
      TasksFailed: a worker failed or did not end in time; its output is in the message,
        and of a preloaded one that did not end where it stood.
    """
    directory.mkdir(parents=True, exist_ok=True)
    tasks = [("ps", i) for i in range(ps)] + [("worker", i) for i in range(workers)]
    tasks += [("client", 0)] * client
    scripts = [str(program)] if isinstance(program, pathlib.Path) else list(program)
    if before_launch:
        _announce_tasks(
            *(python, [*scripts, *arguments, str(directory)], tasks, environment),
            *(command_line, task_environment),
        )
    hosts = Hosts.on_loopback(ps, workers)
    trains = "client" if client else "worker-0" if serving else "worker"
    deadline = time.monotonic() + timeout
    with contextlib.ExitStack() as stack:
        processes: dict[tuple[str, int], subprocess.Popen[bytes] | Started] = {}
        for job, index in tasks:
            if job == "worker" and index == 1 and worker_delay:
                time.sleep(worker_delay)
            extra = task_environment(job, index, hosts) if task_environment else {}
            processes[job, index] = stack.enter_context(
                _process(
                    [
                        python,
                        *scripts,
                        *command_line(job, index, hosts),
                        *arguments,
                    ],
                    directory / f"{job}-{index}.log",
                    {**environment_with(environment), **extra},
                    _preloaded(python, tuple(sorted((environment or {}).items())))
                    if preloaded
                    else None,
                )
            )
        waiting = {
            (job, index)
            for job, index in tasks
            if servers_end or f"{job}-{index}".startswith(trains)
        }
        while waiting and time.monotonic() < deadline and not enough():
            waiting = {task for task in waiting if processes[task].poll() is None}
            failed = [t for t in tasks if processes[t].poll() not in (None, 0)]
            if failed:
                break
            time.sleep(0.05)
        if waiting and time.monotonic() >= deadline:
            for process in processes.values():
                if isinstance(process, Started) and process.poll() is None:
                    process.say_where()
            time.sleep(0.5)
        for _ in range(8):  # A ps that ends by itself gets a moment to do so.
            if all(p.poll() is not None for p in processes.values()):
                break
            time.sleep(0.05)
        codes = {task: process.poll() for task, process in processes.items()}
    ended = [
        Ended(
            f"{job}-{index}",
            codes[job, index],
            (directory / f"{job}-{index}.log").read_text(errors="replace"),
        )
        for job, index in tasks
    ]
    wrong = [
        e
        for e in ended
        if e.code not in (None, 0) or (e.code is None and e.task.startswith(trains))
    ]
    if wrong:
        raise TasksFailed(
            "\n".join(
                f"{e.task} ended with {e.code}:\n{e.output[-3000:]}" for e in wrong
            )
        )
    return ended


def _announce_tasks(
    python: str,
    command: Sequence[str],
    tasks: Sequence[tuple[str, int]],
    environment: Mapping[str, str] | None,
    command_line: CommandLine,
    task_environment: Callable[[str, int, Hosts], Mapping[str, str]] | None,
) -> None:
    """Announces the tasks of a cluster, with ports that count from 1."""
    ports = {task: f"localhost:{port}" for port, task in enumerate(tasks, start=1)}
    hosts = Hosts(
        tuple(ports[task] for task in tasks if task[0] == "ps"),
        tuple(ports[task] for task in tasks if task[0] == "worker"),
    )
    told: list[str] = list(command)
    whole = dict(environment or {})
    for job, index in tasks:
        told += [f"{job} {index}", *command_line(job, index, hosts)]
        extra = task_environment(job, index, hosts) if task_environment else {}
        whole |= {f"{job} {index} {name}": value for name, value in extra.items()}
    announce(python, told, whole)


def run_program(
    command: Sequence[str | os.PathLike[str]],
    *,
    environment: Mapping[str, str] | None = None,
    directory: pathlib.Path | None = None,
    timeout: float = 300.0,
    check: bool = True,
) -> subprocess.CompletedProcess[str]:
    """Runs a Python program in one process of its own; what it printed.

    Args:
      command: interpreter, script, its arguments.
      environment: beside that of this process.
      directory: where it runs.
      timeout: seconds.
      check: whether another exit code than 0 is an error.

    Raises:
      TasksFailed: it ended with another code; what it printed is in the message.
    """
    python, *rest = map(str, command)
    announce(python, [*rest, *([str(directory)] if directory else [])], environment)
    done = subprocess.run(
        [python, *rest],
        env=environment_with(environment),
        cwd=directory,
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    if check and done.returncode:
        raise TasksFailed(
            f"{rest[0]} ended with {done.returncode}:\n"
            f"{done.stdout[-3000:]}{done.stderr[-3000:]}"
        )
    return done


def environment_with(given: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment as a program started from a shell would have it."""
    inherited = {k: v for k, v in os.environ.items() if k not in _NOT_INHERITED}
    return {**inherited, **(given or {})}


@contextlib.contextmanager
def started(
    command: Sequence[str], log: pathlib.Path, environment: Mapping[str, str]
) -> Iterator[subprocess.Popen[bytes] | Started]:
    """A Python program in a process of its own, TensorFlow imported; killed at exit.

    Args:
      command: interpreter, script, its arguments.
      log: the file that gets what it prints.
      environment: beside that of this process.
    """
    announce(command[0], [*command[1:], str(log.parent)], environment)
    whole = environment_with(environment)
    by = _preloaded(command[0], tuple(sorted(environment.items())))
    with _process(command, log, whole, by) as process:
        yield process


@functools.cache
def _preloaded(python: str, environment: tuple[tuple[str, str], ...]) -> Preloaded:
    """The process that tasks are forked from, one per interpreter and environment."""
    made = Preloaded(python, environment_with(dict(environment)))
    atexit.register(made.close)
    return made


def starter(python: str, environment: Mapping[str, str]) -> Preloaded:
    """The process that `run_tasks` starts preloaded tasks from, for tests of their own."""
    return _preloaded(python, tuple(sorted(environment.items())))


@contextlib.contextmanager
def _process(
    command: Sequence[str],
    log: pathlib.Path,
    environment: Mapping[str, str],
    preloaded: Preloaded | None,
) -> Iterator[subprocess.Popen[bytes] | Started]:
    process: subprocess.Popen[bytes] | Started
    with log.open("wb") as output:
        if preloaded is not None:
            process = preloaded.start(command[1:], log, environment, log.parent)
        else:
            process = subprocess.Popen(
                command,
                stdout=output,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                env=dict(environment),
                cwd=log.parent,
                start_new_session=True,
            )
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()
            if isinstance(process, subprocess.Popen):
                _kill_group(process.pid)
            process.wait(10)


def _kill_group(leader: int) -> None:
    """Ends what a program has started: its own processes would keep their ports."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
