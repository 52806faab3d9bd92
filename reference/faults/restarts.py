"""Tasks that are killed and started again: TensorFlow 1.15.5 beside the migrated program.

`python -m reference.faults.restarts` does it to both, measures, and writes
`restarts.json`: the seconds that docs/clusters.md shows, and what TF1's workers traced
where the parameter server was started again at a known place of the training.
"""

from __future__ import annotations

import hashlib
import json
import pathlib
import sys
import tempfile
import time
from collections.abc import Iterable

from reference import environment, runner
from reference.faults import recovery
from reference.faults.cluster import Job, Task
from reference.faults.recovery import LIMIT, SCENARIO
from reference.runner import Trace
from reference.scenario import HERE

NUMBERS = pathlib.Path(__file__).with_name("restarts.json")
_SOURCES = ("faults/tf1.py", "faults/held.py", "gated.py")
_WORKERS = (0, 1)
# Runs, about 300 of which are done before the kill: so it never ends by itself.
_LONG = (
    "--train_steps=1000000",
    "--num_batches=200000",
    "--save_steps=200",
    "--batch_size=2",
)
# Seconds after SIGTERM at which is looked who trains.
_LATER = 5.0

# A row of the page: the task, and whether it is asked to stop and stays away.
ACCIDENTS: dict[str, tuple[Task, bool]] = {
    "the parameter server is killed and started again": (("ps", 0), False),
    "worker 0 is killed and started again": (("worker", 0), False),
    "worker 1 is killed and started again": (("worker", 1), False),
    "worker 0 is stopped by SIGTERM": (("worker", 0), True),
}


def sources() -> dict[str, str]:
    """Returns the digests of the files that made TF1's trace."""
    return {
        name: hashlib.sha256((HERE / name).read_bytes()).hexdigest()
        for name in _SOURCES
    }


def ps_restarted(work: pathlib.Path, tf1: str | None) -> Trace:
    """Losses and batches of the workers where the parameter server is started again.

    No run is under way when it is killed, so both workers train in the same order.
    """
    recovery.prepare(work)
    with _job(work, tf1, [f"--train_steps={SCENARIO.steps}"], held_at=33) as job:
        job.wait_until_held(LIMIT)
        job.kill(("ps", 0))
        job.start(("ps", 0))
        job.let_go()
        for worker in _WORKERS:
            if job.code(("worker", worker), LIMIT):
                raise RuntimeError(job.everything())
    return runner.collected(work / "trace", len(_WORKERS))


def seconds(work: pathlib.Path, tf1: str | None, task: Task) -> list[float]:
    """From a kill and a new start until the next step of each worker."""
    with _job(work, tf1, _LONG, in_turns=False) as job:
        _wait_for_both(job)
        killed = time.time()
        job.kill(task)
        started = time.time()
        job.start(task)
        before = len(job.progress())

        def first(worker: int) -> float | None:
            # What was sent before the kill may still end.
            ended = (p.time for p in job.progress()[before:] if p.worker == worker)
            return next((t - killed for t in ended if t > started + 0.02), None)

        job.wait(lambda: all(first(w) is not None for w in _WORKERS), LIMIT)
        return [round(first(w) or 0.0, 1) for w in _WORKERS]


def stopped(work: pathlib.Path, tf1: str | None, task: Task) -> str:
    """Tells what the other worker does some seconds after a task is asked to stop."""
    with _job(work, tf1, _LONG, in_turns=False) as job:
        _wait_for_both(job)
        job.stop(task)
        time.sleep(_LATER)
        other = ("worker", 1)
        if not job.running(other):
            return f"saved; the other has ended, exit code {job.code(other, 1)}"
        trains = time.time() - job.progress()[-1].time < 1
        return "not saved; the other trains on" if trains else "the other is idle"


def _wait_for_both(job: Job) -> None:
    job.wait_for_runs(300, LIMIT)
    job.wait(lambda: {p.worker for p in job.progress()[-20:]} == set(_WORKERS), LIMIT)


def _job(
    work: pathlib.Path,
    tf1: str | None,
    arguments: Iterable[str],
    *,
    held_at: int = 0,
    in_turns: bool = True,
) -> Job:
    program = SCENARIO.program if tf1 else SCENARIO.migration
    return Job(
        runner.copied(program, work / "program"),
        [*recovery.arguments(work, work), *arguments],
        work / "job",
        held_at=held_at,
        in_turns=in_turns,
        tf1=tf1,
    )


def measure(tf1: str) -> dict[str, object]:
    """All that `restarts.json` holds."""
    found: dict[str, dict[str, list[float] | str]] = {}
    with tempfile.TemporaryDirectory(prefix="tf1to2-") as temporary:
        work = pathlib.Path(temporary)
        for number, (name, (task, stops)) in enumerate(ACCIDENTS.items()):
            found[name] = {}
            for side, python in (("TensorFlow 1.15.5", tf1), ("migrated", None)):
                ours = work / f"{number}-{side}"
                one = stopped if stops else seconds
                found[name][side] = one(ours, python, task)
        trace = ps_restarted(work / "trace", tf1)
    return {
        "sources": sources(),
        "after": found,
        "trace": {key: value.tolist() for key, value in sorted(trace.items())},
    }


def rows() -> list[str]:
    """The rows of docs/clusters.md's table."""
    after = json.loads(NUMBERS.read_text())["after"]
    return [
        f"| {name} | {_cell(sides['TensorFlow 1.15.5'])} | {_cell(sides['migrated'])} |"
        for name, sides in after.items()
    ]


def _cell(value: list[float] | str) -> str:
    if isinstance(value, str):
        return value
    return " and ".join(f"{seconds:.1f} s" for seconds in value)


if __name__ == "__main__":
    genuine = environment.find_tf1()
    if genuine is None:
        sys.exit("no TensorFlow 1.15.5 here")
    NUMBERS.write_text(json.dumps(measure(str(genuine)), indent=1) + "\n")
    print("\n".join(rows()))
