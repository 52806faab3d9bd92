"""Counts the bytes that a synchronous step sends, by parameter server and by ring all-reduce.

    python -m reference.ring_versus_parameter_server.measure

The programs run in a separate network namespace, whose loopback interface carries no other
traffic. We read its counter of bytes before and after a training. We divide the difference of
a long and a short training by the difference of their steps, so that start and end do not
count. Writes `communication.json` and docs/communication.md. Needs the right to
make a network namespace (root, on Linux).
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from typing import Any

from reference import environment, oracle, runner
from reference.ring_versus_parameter_server.spec import SCENARIO
from reference.scenario import HERE, Order, Run, Topology

MEASURED = SCENARIO.directory / "communication.json"
PAGE = HERE.parent / "docs" / "communication.md"

HIDDEN = 1024
# w1 is [48, HIDDEN], w2 is [HIDDEN, 16], of 4 bytes each.
PARAMETERS = 4 * (48 + 16) * HIDDEN
SHORT, LONG = 20, 120


@dataclasses.dataclass(frozen=True)
class Program:
    """A program that adds gradients up in one of the ways.

    Attributes:
      file: the program.
      title: what it is, for the table.
      ring: whether the workers add up in a ring, without a parameter server.
    """

    file: str
    title: str
    ring: bool

    def expected(self, workers: int) -> int:
        """Bytes that all tasks together have to send in a step.

        To a parameter server every worker sends its gradients and from it every worker
        fetches the weights. In a ring each worker sends (n - 1) / n of the gradients
        twice: while they are added up, and while the sums go round.
        """
        return PARAMETERS * (2 * (workers - 1) if self.ring else 2 * workers)

    def busiest(self, workers: int) -> float:
        """Bytes that the task with the most traffic sends and receives in a step."""
        if self.ring:
            return 2 * self.expected(workers) / workers
        return self.expected(workers)  # The server has a part in everything.


PROGRAMS = (
    Program("tf1.py", "SyncReplicasOptimizer, TensorFlow 1.15.5", ring=False),
    Program("tf2_parameter_server.py", "ParameterServerStrategy", ring=False),
    Program("tf2.py", "MultiWorkerMirroredStrategy, as migrated", ring=True),
    Program("tf2_ring.py", "MultiWorkerMirroredStrategy, RING", ring=True),
)


def sources() -> dict[str, str]:
    """Digests of what the measurement depends on."""
    files = [SCENARIO.directory / program.file for program in PROGRAMS]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def can_isolate() -> bool:
    """Whether this process may make a network namespace."""
    if not shutil.which("unshare") or not shutil.which("ip"):
        return False
    command = ["unshare", "--net", "ip", "link", "set", "lo", "up"]
    return not subprocess.run(command, capture_output=True, timeout=30).returncode


def isolated(command: Iterable[str]) -> list[str]:
    """The command, in a network namespace that has a loopback interface only."""
    script = 'ip link set lo up && exec "$@"'
    return ["unshare", "--net", "sh", "-c", script, "sh", *command]


def loopback_bytes() -> int:
    """Counts the bytes that the loopback interface received in this namespace."""
    for line in pathlib.Path("/proc/net/dev").read_text().splitlines():
        name, _, counters = line.partition(":")
        if name.strip() == "lo":
            return int(counters.split()[0])
    raise RuntimeError("no loopback interface in /proc/net/dev")


def train(program: Program, workers: int, steps: int) -> tuple[int, float]:
    """Trains; bytes sent by all, and worker 0's steps per second.

    Raises:
      TasksFailed: a task failed or took too long.
    """
    # TF1's workers are held in step: without that its sessions may not close.
    topology = Topology(ps=1, workers=workers, order=Order.IN_STEP)
    run = Run("wide", (f"--hidden_units={HIDDEN}",), topology=topology)
    with tempfile.TemporaryDirectory(prefix="tf1to2-") as directory:
        work = pathlib.Path(directory)
        path = SCENARIO.directory / program.file
        if program.file == "tf1.py":
            interpreter = runner.genuine(str(environment.make()))
        else:
            interpreter = runner.tf2()
            path = runner.copied(path, work / "program")
        before = loopback_bytes()
        runner.train(SCENARIO, run, interpreter, path, work, steps=steps)
        sent = loopback_bytes() - before
        said = (work / "out" / "worker-0.log").read_text(errors="replace")
    rate = re.search(r"worker 0: .* ([\d.]+) steps/s", said)
    assert rate, said
    return sent, float(rate[1])


def row(program: Program, workers: int, short: int, long: int) -> dict[str, Any]:
    """One row of the table, measured now; the namespace must be this process's own."""
    start, _ = train(program, workers, short)
    whole, rate = train(program, workers, long)
    return {
        "program": program.file,
        "workers": workers,
        "bytes per step": round((whole - start) / (long - short)),
        "steps per second": rate,
    }


def page(measured: dict[str, Any]) -> str:
    """The page of docs, from what was measured."""
    lines = [
        "<!-- Written by `python -m reference.ring_versus_parameter_server.measure`; "
        "do not edit. -->",
        "# What a synchronous step sends",
        "",
        "`reference/ring_versus_parameter_server` trains one program synchronously in four",
        "ways. The losses are equal (see [numerics](numerics.md)). This page compares what a",
        f"step sends, with {PARAMETERS:,} bytes of weights and batches of 16 examples.",
        "",
        "| program | workers | MB per step, measured | MB per step, computed | MB of the busiest task, computed "
        "| steps/s |",
        "|---|---|---|---|---|---|",
    ]
    by_file = {program.file: program for program in PROGRAMS}
    for entry in measured["rows"]:
        program, workers = by_file[entry["program"]], entry["workers"]
        cells = (
            f"{program.title} (`{program.file}`)",
            str(workers),
            f"{entry['bytes per step'] / 1e6:.3f}",
            f"{program.expected(workers) / 1e6:.3f}",
            f"{program.busiest(workers) / 1e6:.3f}",
            f"{entry['steps per second']:.0f}",
        )
        lines.append("| " + " | ".join(cells) + " |")
    where = measured["platform"]
    lines += [
        "",
        "- **Measured**: the bytes on the loopback interface of a separate network namespace,",
        "  with the headers of TCP and gRPC, divided by the steps of worker 0. The machine has",
        f"  {measured['cores']} cores of {where['processor']}. The other programs ran on TensorFlow "
        f"{measured['tensorflow']}.",
        "- **Computed**: without headers. With a parameter server every worker sends its gradients",
        "  and fetches the weights. If W is the size of the weights, n workers send 2nW bytes, all",
        "  of them to or from the server. In a ring they send 2(n - 1)W bytes, and each worker sends",
        "  an equal part. *The busiest task* is the one that sends and receives the most bytes.",
        "- **Steps per second**: on one machine, where sending bytes takes little time. So this column",
        "  compares everything that a step does besides sending. In TensorFlow 1 the workers waited",
        "  for each other's files, so that they made the same steps.",
    ]
    return "\n".join(lines) + "\n"


def measure() -> dict[str, Any]:
    """All rows, measured now; the namespace must be this process's own."""

    rows = []
    for workers in (2, 3):
        for program in PROGRAMS:
            rows.append(row(program, workers, SHORT, LONG))
            print(rows[-1], flush=True)
    return {
        "rows": rows,
        "tensorflow": oracle.versions(sys.executable)["tensorflow"],
        "platform": oracle.this_platform(),
        "cores": os.cpu_count(),
        "sources": sources(),
    }


def main() -> None:
    if sys.argv[1:] != ["--isolated"]:
        if not can_isolate():
            sys.exit("needs the right to make a network namespace (root, on Linux)")
        command = [sys.executable, "-m", __spec__.name, "--isolated"]
        sys.exit(subprocess.run(isolated(command)).returncode)
    measured = measure()
    MEASURED.write_text(json.dumps(measured, indent=1) + "\n")
    PAGE.write_text(page(measured))
    print(f"wrote {MEASURED} and {PAGE}")


if __name__ == "__main__":
    main()
