"""A migrated program's processes, to be stopped, killed and started again one by one."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import signal
import sys
import time
from collections.abc import Callable, Iterable

from reference import processes, runner
from reference.preloaded import Started
from reference.scenario import HERE

Task = tuple[str, int]


@dataclasses.dataclass(frozen=True)
class Progress:
    """One run that ended: whose it was, and when, in seconds since the epoch."""

    worker: int
    time: float


class Job:
    """The processes of one program on the loopback interface; all killed at the end.

    Args:
      program: with the modules it imports beside it.
      arguments: its flags, without those of the cluster.
      directory: of logs, one per process ever started.
      tasks: "ps", "chief" and "worker" tasks; a chief is started with --chief_hosts.
      in_turns: runs are held to the order of `Order.TURNS`.
      held_at: worker 0 waits before this run (its first is 1) until `let_go`.
      wait_secs: how long tasks that do not answer are waited for; 0: as in TF1.
      tf1: the interpreter of TensorFlow 1.15.5, where the program is TF1's own.
    """

    def __init__(
        self,
        program: pathlib.Path,
        arguments: Iterable[str],
        directory: pathlib.Path,
        *,
        tasks: Iterable[Task] = (("ps", 0), ("worker", 0), ("worker", 1)),
        in_turns: bool = True,
        held_at: int = 0,
        wait_secs: float = 0.0,
        tf1: str | None = None,
    ):
        self._tf1 = tf1
        self._program, self._arguments = program, list(arguments)
        self._directory, self._in_turns = directory, in_turns
        self._held_at, self._wait_secs = held_at, wait_secs
        directory.mkdir(parents=True)
        self._tasks = list(tasks)
        ports = processes.free_ports(len(self._tasks))
        self._addresses = dict(zip(self._tasks, ports, strict=True))
        self._started: dict[Task, Started] = {}
        self._logs: dict[Task, list[pathlib.Path]] = {t: [] for t in self._tasks}

    def __enter__(self) -> Job:
        for task in self._tasks:
            self.start(task)
        return self

    def __exit__(self, *exception: object) -> None:
        for process in self._started.values():
            if process.poll() is None:
                process.kill()
        for process in self._started.values():
            process.wait(10)

    # -- one task ----------------------------------------------------------------------

    def start(self, task: Task) -> None:
        """Starts a task, for the first time or again, by the same command."""
        job, index = task
        (self._directory / "gate").mkdir(exist_ok=True)
        log = self._directory / f"{job}-{index}.{len(self._logs[task])}.log"
        log.touch()
        self._logs[task].append(log)
        trains = index == 0 and job in ("worker", "chief")
        environment = {
            **os.environ,
            **runner.ENVIRONMENT,
            "GATE_DIR": str(self._directory / "gate"),
            "GATE_WORKERS": str(sum(j == "worker" for j, _ in self._tasks)),
            "GATE_TASK": str(index) if job == "worker" else "",
            "GATE_ORDER": "turns",
            "GATE_HOOKS": "tf1" if self._tf1 else "training_session",
            "HOLD_DIR": str(self._directory),
            "HOLD_RUN": str(self._held_at if trains else 0),
            "WAIT_SECS": str(self._wait_secs or ""),
        }
        gate = [str(HERE / "gated.py")] if self._in_turns else []
        hosts = [f"--{j}_hosts={self._hosts(j)}" for j in ("chief", "ps", "worker")]
        self._started[task] = processes.starter(
            self._tf1 or sys.executable, runner.ENVIRONMENT
        ).start(
            [
                str(HERE / "faults" / "held.py"),
                *gate,
                str(self._program),
                f"--job_name={job}",
                f"--task_index={index}",
                *[h for h in hosts if not h.endswith("=")],
                *self._arguments,
            ],
            log,
            environment,
            self._directory,
        )

    def _hosts(self, job: str) -> str:
        return ",".join(
            f"localhost:{p}" for (j, _), p in self._addresses.items() if j == job
        )

    def freeze(self, task: Task) -> None:
        """The task takes what is sent to it but does nothing more."""
        os.kill(self._started[task].pid, signal.SIGSTOP)

    def stop(self, task: Task) -> None:
        """Asks the task to end, as cluster managers do."""
        os.kill(self._started[task].pid, signal.SIGTERM)

    def kill(self, task: Task) -> None:
        """As the machine's end would: no handler runs, no connection is closed well."""
        self._started[task].kill()
        self._started[task].wait(10)

    def code(self, task: Task, timeout: float) -> int:
        """The task's exit code.

        Raises:
          subprocess.TimeoutExpired: it did not end in time.
        """
        return self._started[task].wait(timeout)

    def running(self, task: Task) -> bool:
        return self._started[task].poll() is None

    def output(self, task: Task) -> str:
        """Returns what the task printed since its last start."""
        return self._logs[task][-1].read_text(errors="replace")

    # -- the training ------------------------------------------------------------------

    def wait_until_held(self, timeout: float) -> None:
        """Until worker 0 is held; then no run is under way (with `in_turns`)."""
        self.wait(lambda: (self._directory / "held").exists(), timeout)

    def let_go(self) -> None:
        (self._directory / "go").touch()

    def progress(self) -> list[Progress]:
        """The runs that have ended so far."""
        path = self._directory / "progress"
        lines = path.read_text().splitlines() if path.exists() else []
        found = (line.split() for line in lines)
        return [Progress(int(worker), float(when)) for worker, when in found]

    def wait_for_runs(self, number: int, timeout: float) -> None:
        """Until so many runs have ended."""
        self.wait(lambda: len(self.progress()) >= number, timeout)

    def wait(self, condition: Callable[[], bool], timeout: float) -> None:
        """Until something is so."""
        deadline = time.monotonic() + timeout
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError(self.everything())
            time.sleep(0.02)

    def everything(self) -> str:
        """The end of what every task printed, for a failure's message."""
        return "\n".join(f"-- {t}\n{self.output(t)[-1500:]}" for t in self._started)
