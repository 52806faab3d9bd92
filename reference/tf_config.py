"""One task's part of a scenario, on the cluster that TF_CONFIG describes.

What starts TensorFlow jobs (Kubernetes' training operator, Slurm with a line of shell,
Spark) starts the same command in every task, each with a TF_CONFIG of its own:

    {"cluster": {"ps": ["host0:2222"], "worker": ["host1:2222", "host2:2222"]},
     "task": {"type": "worker", "index": 0}}

A "chief" (or "master") is the programs' worker 0, and the workers come after it. Nothing
is shared but the network: every task writes the same initial checkpoint for itself, and
compares what it has traced. That is everything for worker 0 where it coordinates
asynchronous training; synchronous workers trace, and compare, their own losses.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import pathlib
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reference import processes, runner
from reference.compare import Array
from reference.runner import Trace
from reference.scenario import HERE, Order, Run, Scenario, Shape, Topology

_CHIEFS = ("chief", "master")
# A parameter server never ends by itself. It is ended when the chief, which had
# answered, has not for so long; a chief that is started again is back sooner or is lost.
_SILENCE = 10.0


class WrongCluster(ValueError):
    """A TF_CONFIG that is not one, or not the cluster that a scenario needs."""


@dataclasses.dataclass(frozen=True)
class Task:
    """One task of a cluster, by the names the programs have for them.

    Attributes:
      hosts: addresses of parameter servers and workers; the chief is worker 0.
      job: "ps" or "worker".
      index: within the job.
    """

    hosts: processes.Hosts
    job: str
    index: int

    @property
    def is_chief(self) -> bool:
        return self.job == "worker" and self.index == 0

    def __str__(self) -> str:
        return f"{self.job} {self.index}"


def parse(text: str) -> Task:
    """The task that a TF_CONFIG's text describes.

    Raises:
      WrongCluster: it is not JSON, or names no such task.
    """
    try:
        config = json.loads(text)
        cluster, task = config["cluster"], config["task"]
        kind, index = str(task["type"]), int(task["index"])
        jobs = {str(job): _addresses(hosts) for job, hosts in cluster.items()}
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise WrongCluster(
            f"not a TF_CONFIG ({type(error).__name__}: {error}): {text[:200]!r}"
        ) from error
    unknown = sorted(set(jobs) - {"ps", "worker", "evaluator", *_CHIEFS})
    if unknown:
        raise WrongCluster(f"TF_CONFIG has jobs that TensorFlow has not: {unknown}")
    if kind == "evaluator":  # Which is often not listed in the cluster.
        raise WrongCluster("an evaluator has no part in training; start none")
    if kind not in jobs or not 0 <= index < len(jobs[kind]):
        raise WrongCluster(f"TF_CONFIG's cluster has no task {kind} {index}")
    chiefs = [address for chief in _CHIEFS for address in jobs.get(chief, ())]
    if len(chiefs) > 1:
        raise WrongCluster(f"TF_CONFIG has {len(chiefs)} chiefs")
    hosts = processes.Hosts(
        tuple(jobs.get("ps", ())), (*chiefs, *jobs.get("worker", ()))
    )
    if not hosts.worker:
        raise WrongCluster("TF_CONFIG's cluster has no worker")
    if kind == "worker":
        index += len(chiefs)
    return Task(hosts, "ps" if kind == "ps" else "worker", index)


def _addresses(hosts: Any) -> list[str]:
    """A job's addresses.

    Raises:
      TypeError: they are no list; a comma-joined text, say.
    """
    if not isinstance(hosts, list) or not all(isinstance(h, str) for h in hosts):
        raise TypeError("a job is a list of addresses")
    return hosts


def read(value: str) -> Task:
    """The task that a command line's value describes.

    Args:
      value: the name of an environment variable, a file's path, or the JSON itself.

    Raises:
      WrongCluster: none of that.
    """
    if value.lstrip().startswith("{"):
        return parse(value)
    if value in os.environ:
        return parse(os.environ[value])
    if pathlib.Path(value).is_file():
        return parse(pathlib.Path(value).read_text())
    raise WrongCluster(
        f"{value!r} is no environment variable that is set, no file, and no JSON"
    )


def check(task: Task, topology: Topology) -> None:
    """Raises WrongCluster where the cluster is not of the topology's size and shape."""
    if topology.shape is not Shape.BETWEEN_GRAPH:
        raise WrongCluster(
            f"this run is {topology}: only a process per task runs on a cluster"
        )
    # More parameter servers than needed would hold variables, and TF1 put them
    # elsewhere; a synchronous program leaves those it has.
    found = len(task.hosts.ps), len(task.hosts.worker)
    if found != (topology.ps, topology.workers):
        raise WrongCluster(
            f"this run needs {topology.ps} ps and {topology.workers} workers; "
            f"TF_CONFIG has {found[0]} and {found[1]} (a chief is a worker)"
        )


def train(
    scenario: Scenario,
    run: Run,
    task: Task,
    work: pathlib.Path,
    *,
    initial: Mapping[str, Array] | None = None,
    saved: Sequence[pathlib.Path] = (),
    steps: int | None = None,
    timeout: float = 3600.0,
) -> Trace:
    """Runs this task's part of tf2.py; what it has traced, which may be nothing.

    Its output goes where this process's goes.

    Args:
      work: a directory of this run alone.
      initial, saved, steps: see `runner.train`.
      timeout: seconds, with waiting for the other tasks.

    Raises:
      WrongCluster: the run needs another cluster.
      TasksFailed: this task failed or took too long.
      NoTrace: the chief has ended well without a trace.
    """
    topology = scenario.topology_of(run)
    check(task, topology)
    arguments = runner.prepared(
        scenario, run, work, initial=initial, saved=saved, steps=steps
    )
    out = work / "out"
    program = [str(runner.copied(scenario.migration, work / "program"))]
    environment = {**processes.environment_with(), **runner.ENVIRONMENT}
    # The programs are told by their flags.
    environment.pop("TF_CONFIG", None)
    gate = runner.gated_order(runner.tf2(), topology)
    if gate is not Order.FREE:
        # All loops run in the chief's process, so their marks are its own.
        (out / "gate").mkdir()
        program.insert(0, str(HERE / "gated.py"))
        index = str(task.index) if task.job == "worker" else ""
        environment |= runner.gate_environment(
            gate, out / "gate", topology.workers, index, tf1=False
        )
    flags = processes.flag_arguments(task.job, task.index, task.hosts)
    command = [sys.executable, *program, *flags, *arguments]
    code = _ended(command, environment, out, task, timeout)
    if code:
        raise processes.TasksFailed(f"{task} ended with {code}; see its output above")
    trace: Trace = {}
    for worker in range(topology.writers):
        with contextlib.suppress(runner.NoTrace):
            trace.update(runner.traced(out / "trace", worker))
    if task.is_chief:
        if not trace:
            raise runner.NoTrace(f"{task} wrote no trace")
        trace.update(runner.final_checkpoint(scenario, work, initial))
    return trace


def _ended(
    command: Sequence[str],
    environment: Mapping[str, str],
    directory: pathlib.Path,
    task: Task,
    timeout: float,
) -> int | None:
    """The exit code of a task's process; None where it took too long.

    A parameter server's is 0 when the chief is gone.
    """
    deadline = time.monotonic() + timeout
    chief = _Seen(task.hosts.worker[0])
    with _process(command, environment, directory) as process:
        while process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.2)
            if task.job == "ps" and chief.is_gone():
                return 0
        return process.poll()


@contextlib.contextmanager
def _process(
    command: Sequence[str], environment: Mapping[str, str], directory: pathlib.Path
) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is killed at the end if it still runs."""
    process = subprocess.Popen(
        command, env=dict(environment), cwd=directory, stdin=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(10)


class _Seen:
    """Whether a task that has answered at its address does so no more."""

    def __init__(self, address: str):
        host, _, port = address.rpartition(":")
        self._address = host.strip("[]"), int(port)
        self._last: float | None = None
        self._asked = 0.0

    def is_gone(self) -> bool:
        now = time.monotonic()
        if now - self._asked >= 1.0:
            self._asked = now
            with contextlib.suppress(OSError):
                socket.create_connection(self._address, 2.0).close()
                self._last = time.monotonic()
        return self._last is not None and time.monotonic() - self._last > _SILENCE
