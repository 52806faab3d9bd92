"""Measures training speed, TF 1.15.5 against what it becomes: `python -m benchmarks.training`.

Both programs of a pair of `reference/` run on this machine in turns, several times; a
figure is the median of steps per second of all workers together, while all of them train.
What comes before the first step is not counted, nor is what comes after the last. A program
of one process runs twice for that, with few steps and with many: the difference counts.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import pathlib
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping

from reference import data, environment, processes, runner
from reference.scenario import HERE

_TIMED = pathlib.Path(__file__).with_name("timed.py")


@dataclasses.dataclass(frozen=True)
class Case:
    """A pair and how its programs are started.

    Attributes:
      scenario: the pair's directory in `reference/`.
      ps, workers: how many processes; neither, of a program of one process.
      arguments: the programs' flags.
      steps: of a program of one process: how many, a few and many.
    """

    scenario: str
    ps: int = 0
    workers: int = 0
    arguments: tuple[str, ...] = ()
    steps: tuple[int, int] = (0, 0)

    def __str__(self) -> str:
        if not self.workers:
            return f"{self.scenario}, one process"
        return f"{self.scenario}, {self.ps} ps, {self.workers} workers"


_ADAM = (
    "--hidden_units=500",
    "--batch_size=32",
    "--optimizer=adam",
    "--learning_rate=0.0001",
)
CASES = (
    Case("async_parameter_server", 1, 1, _ADAM),
    Case("async_parameter_server", 1, 2, _ADAM),
    Case("async_parameter_server", 1, 4, _ADAM),
    Case("sync_replicas", 1, 2, _ADAM),
    Case("sync_replicas", 1, 4, _ADAM),
    Case("in_graph_towers", steps=(200, 8200)),
    Case("estimator_layers", steps=(120, 3120)),
)


def measure(case: Case, interpreter: runner.Interpreter, seconds: float) -> float:
    """Steps per second of one run of a pair's program.

    Raises:
      TasksFailed: a task failed, or had not trained so long after five minutes.
    """
    if not case.workers:
        few, many = case.steps
        spent = {steps: _spend(case, interpreter, steps) for steps in case.steps}
        return (many - few) / (spent[many] - spent[few])
    with tempfile.TemporaryDirectory(prefix="benchmark-") as temporary:
        work = pathlib.Path(temporary)
        data.write_mnist(work / "mnist")
        (work / "times").mkdir()
        folder = HERE / case.scenario
        program = folder / "tf1.py"
        if not interpreter.tf1:
            program = runner.copied(folder / "tf2.py", work / "program")

        def enough() -> bool:
            return len(list((work / "times").glob("*.times"))) == case.workers

        def task(job: str, index: int, hosts: processes.Hosts) -> Mapping[str, str]:
            return {
                "TIMED_DIR": str(work / "times"),
                "TIMED_SECONDS": str(seconds),
                "TIMED_SESSIONS": str(case.workers),
                "TIMED_TASK": str(index) if job == "worker" else "",
                "TIMED_TF": "1" if interpreter.tf1 else "2",
            }

        arguments = [*case.arguments, f"--data_dir={work / 'mnist'}"]
        arguments.append("--train_steps=1000000")
        try:
            processes.run_tasks(
                interpreter.python,
                (str(_TIMED), str(program)),
                arguments,
                work / "out",
                ps=case.ps,
                workers=case.workers,
                environment=runner.ENVIRONMENT,
                timeout=300,
                task_environment=task,
                preloaded=True,
                enough=enough,
            )
        except processes.TasksFailed:
            if not enough():  # The workers are stopped in the midst of training.
                raise
        return _rate(work / "times")


def _spend(case: Case, interpreter: runner.Interpreter, steps: int) -> float:
    """Seconds that a program of one process takes, from its start to its end."""
    with tempfile.TemporaryDirectory(prefix="benchmark-") as temporary:
        work = pathlib.Path(temporary)
        folder = HERE / case.scenario
        program = folder / "tf1.py"
        if not interpreter.tf1:
            program = runner.copied(folder / "tf2.py", work / "program")
        begin = time.monotonic()
        flags = (*case.arguments, f"--train_steps={steps}")
        processes.run_program(
            (interpreter.python, program, *flags),
            environment=runner.ENVIRONMENT,
            directory=work,
        )
        return time.monotonic() - begin


def _rate(directory: pathlib.Path) -> float:
    """Steps per second of all sessions while all of them train, after a second."""
    sessions = [
        [float(line) for line in path.read_text().splitlines()]
        for path in directory.glob("*.times")
    ]
    begin = max(times[0] for times in sessions) + 1
    end = min(times[-1] for times in sessions)
    return sum(begin <= t < end for times in sessions for t in times) / (end - begin)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("only", nargs="*", help="parts of names of cases")
    parser.add_argument("--times", type=int, default=5, help="how often each is run")
    parser.add_argument("--seconds", type=float, default=6, help="of one run")
    chosen = parser.parse_args()
    sides = {
        "TF 1.15.5": runner.genuine(str(environment.make())),
        "migrated": runner.tf2(),
    }
    print("| program | TF 1.15.5 | migrated | ratio, least to greatest |")
    print("|---|---|---|---|")
    for case in CASES:
        if chosen.only and not any(part in str(case) for part in chosen.only):
            continue
        rates: dict[str, list[float]] = {side: [] for side in sides}
        for _ in range(chosen.times):
            for side, interpreter in sides.items():
                rates[side].append(measure(case, interpreter, chosen.seconds))
        old, new = (statistics.median(found) for found in rates.values())
        ratios = sorted(b / a for a, b in zip(*rates.values(), strict=True))
        print(
            f"| {case} | {old:.0f} | {new:.0f} | {statistics.median(ratios):.2f} "
            f"({ratios[0]:.2f} to {ratios[-1]:.2f}) |",
            flush=True,
        )
    print(f"load {os.getloadavg()[1]:.1f}", file=sys.stderr)


if __name__ == "__main__":
    main()
