"""Starts Python programs in processes that have TensorFlow imported already.

Importing TensorFlow takes two seconds of CPU, and a scenario starts up to five
processes. This script imports it once and forks itself for each program. It forks
before anything was computed, when TensorFlow has no threads and no devices yet; what a
program then does is what it would do alone.

Talks in lines of JSON: on stdin {"argv", "environment", "directory", "log"} to start a
program, {"kill": pid}; on stdout {"started": pid}, {"ended": pid, "code": code}. At the
end of stdin all programs are killed. `Preloaded` is the other side. Runs under Python
3.7 and later, TensorFlow 1.15 and 2.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import dataclasses
import faulthandler
import json
import os
import pathlib
import runpy
import select
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Mapping, Sequence
from typing import IO, Any

# -- in the process that has TensorFlow ------------------------------------------------

# linux/prctl.h: the signal that a process gets when its parent ends.
_PR_SET_PDEATHSIG = 1
# On it a program writes to its log where each of its threads is, the main one last.
_SAY_WHERE = signal.SIGUSR1


def _be(order: dict[str, Any], server: int) -> None:
    """Becomes the ordered program, for the server of this process id; never returns."""
    code = 1
    try:
        os.setsid()  # Out of reach of a Ctrl-C, which the other side answers.
        if sys.platform == "linux":  # Nor left alone where this server is killed.
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != server:  # It was killed before it was asked to tell.
                return
        signal.signal(signal.SIGINT, signal.default_int_handler)
        with open(order["log"], "ab") as log, open(os.devnull, "rb") as nothing:
            os.dup2(nothing.fileno(), 0)
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
        sys.stdin = open(0, closefd=False)
        # A log file is block-buffered otherwise, and lost when the process is killed.
        sys.stdout = open(1, "w", buffering=1, closefd=False)
        sys.stderr = open(2, "w", buffering=1, closefd=False)
        faulthandler.register(_SAY_WHERE, sys.stderr)
        os.environ.clear()
        os.environ.update(order["environment"])
        os.chdir(order["directory"])
        sys.argv = order["argv"]
        sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
        try:
            runpy.run_path(sys.argv[0], run_name="__main__")
            code = 0
        except SystemExit as ended:
            if ended.code is None or isinstance(ended.code, int):
                code = ended.code or 0
            else:
                print(ended.code, file=sys.stderr)
        except BaseException:
            traceback.print_exc()
        # As the interpreter's own end: threads that are no daemons, then the handlers.
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def serve() -> None:
    """Obeys stdin until its end, or that of the process on the other side."""
    # The other side may be killed while a process that it forked still has the pipe.
    other_side = os.getppid()
    import tensorflow  # noqa: F401

    running: set[int] = set()
    orders = b""
    open_ = True
    while open_ and os.getppid() == other_side:
        ready, _, _ = select.select([0], [], [], 0.02)
        if ready:
            read = os.read(0, 65536)
            open_ = bool(read)
            orders += read
            *lines, orders = orders.split(b"\n")
            for line in lines:
                order = json.loads(line)
                if "kill" in order:
                    if order["kill"] in running:
                        os.kill(order["kill"], signal.SIGKILL)
                    continue
                server = os.getpid()
                pid = os.fork()
                if not pid:
                    _be(order, server)
                running.add(pid)
                _say({"started": pid})
        for pid in list(running):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                running.discard(pid)
                signalled = os.WIFSIGNALED(status)
                code = -os.WTERMSIG(status) if signalled else os.WEXITSTATUS(status)
                _say({"ended": pid, "code": code})
    for pid in running:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _say(message: dict[str, int]) -> None:
    os.write(1, json.dumps(message).encode() + b"\n")


# -- in the process that wants programs started ----------------------------------------


@dataclasses.dataclass
class Started:
    """A started program, with the methods of subprocess.Popen that are needed."""

    pid: int
    _by: Preloaded
    _end: threading.Event = dataclasses.field(default_factory=threading.Event)
    _code: int | None = None

    def poll(self) -> int | None:
        return self._code

    def kill(self) -> None:
        self._by._order({"kill": self.pid})

    def say_where(self) -> None:
        """Has it write the stack of each thread to its log, for one that does not end."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, _SAY_WHERE)

    def wait(self, timeout: float | None = None) -> int:
        if not self._end.wait(timeout):
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0)
        assert self._code is not None
        return self._code


class Preloaded:
    """A process with TensorFlow, from which programs are started.

    Args:
      python: its interpreter.
      environment: set before TensorFlow is imported, which reads some of it then.
    """

    def __init__(self, python: str, environment: Mapping[str, str]):
        self._process = subprocess.Popen(
            [python, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # TensorFlow's messages at import; programs have logs of their own.
            stderr=subprocess.DEVNULL,
            # One thread for numpy, so that there is none but the main one to fork.
            env={**environment, "OPENBLAS_NUM_THREADS": "1"},
        )
        self._lock, self._writing = threading.Lock(), threading.Lock()
        self._answers: list[Started] = []
        self._answered = threading.Condition()
        self._programs: dict[int, Started] = {}
        threading.Thread(target=self._listen, daemon=True, name="preloaded").start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            message = json.loads(line)
            with self._answered:
                if "started" in message:
                    pid = message["started"]
                    self._programs[pid] = Started(pid, self)
                    self._answers.append(self._programs[pid])
                else:
                    program = self._programs.pop(message["ended"])
                    program._code = message["code"]
                    program._end.set()
                self._answered.notify_all()
        with self._answered:
            for program in self._programs.values():
                program._code = -int(signal.SIGKILL)
                program._end.set()

    def _order(self, order: Mapping[str, Any]) -> None:
        stdin: IO[bytes] | None = self._process.stdin
        assert stdin is not None
        with self._writing:
            stdin.write(json.dumps(order).encode() + b"\n")
            stdin.flush()

    def start(
        self,
        command: Sequence[str],
        log: pathlib.Path,
        environment: Mapping[str, str],
        directory: pathlib.Path,
    ) -> Started:
        """Starts `command`, a script and its arguments.

        Raises:
          RuntimeError: TensorFlow did not import within two minutes.
        """
        sys.audit("reference.preloaded.start", command[0])
        with self._lock:
            self._order(
                {
                    "argv": list(command),
                    "environment": dict(environment),
                    "directory": str(directory),
                    "log": str(log),
                }
            )
            with self._answered:
                if not self._answered.wait_for(lambda: bool(self._answers), 120):
                    raise RuntimeError("the process with TensorFlow does not answer")
                return self._answers.pop()

    def close(self) -> None:
        """Kills what still runs."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(10)


if __name__ == "__main__":
    serve()
