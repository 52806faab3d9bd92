"""Measures whether a migrated training recovers from killed processes, and how soon.

`python -m reference.faults.recovery` kills them, measures, and writes `recovery.json`,
which docs/numerics.md shows. tests/reference/test_faults.py does the same and judges.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import pathlib
import tempfile
import time
from collections.abc import Callable, Mapping

import numpy as np

from migrate.compiler import migrate_text
from reference import checkpoints, oracle, runner
from reference.faults.cluster import Job, Task
from reference.faults.spec import SCENARIO
from reference.runner import Trace

NUMBERS = pathlib.Path(__file__).with_name("recovery.json")

RUN = SCENARIO.run("undisturbed_float64")
WORKERS = SCENARIO.topology_of(RUN).workers
SAVE_STEPS = 20  # tf1.py's default of --save_steps.
# Seconds that anything may take on a loaded machine.
LIMIT = 120.0
# Seconds that held.py gives the other loops to end when one has failed.
GRACE = 5.0

# The TF1 program with a chief of its own, which trains nothing worth comparing.
WITH_CHIEF = (
    (
        'flags.DEFINE_string("job_name"',
        'flags.DEFINE_string("chief_hosts", None, "host:port of the chief")\n'
        'flags.DEFINE_string("job_name"',
    ),
    (
        '{"ps": ps_hosts, "worker": worker_hosts}',
        '{"chief": [FLAGS.chief_hosts], "ps": ps_hosts, "worker": worker_hosts}',
    ),
)


@dataclasses.dataclass(frozen=True)
class Recovery:
    """The cost of one accident.

    Attributes:
      detected: seconds from the kill until the training said that it had failed; 0
        where it did not fail.
      recovered: seconds from the kill, or from the new start, until the next step was
        done; 0 where it is not to recover.
      lost: steps that had been done and were done again.
      said: the last line of the failed task's output.
      trace: losses, steps and batches by worker, and "checkpoint/<variable>" at the end.
    """

    detected: float = 0.0
    recovered: float = 0.0
    lost: int = 0
    said: str = ""
    trace: Trace = dataclasses.field(default_factory=dict)


def undisturbed() -> Trace:
    """The recorded trace of TensorFlow 1.15.5, which nobody interrupted."""
    return oracle.recorded(SCENARIO, RUN).trace


def worker_killed(work: pathlib.Path, *, restarted: bool = False) -> Recovery:
    """Worker 1 is killed with a step in its hands; the others go on.

    It is stopped before it is killed, so that a step which it was sent is surely not
    done: ClusterCoordinator makes the step of a worker again that is killed after its
    update and before its answer is copied.

    Args:
      restarted: the worker is started again, and the steps wait for worker 0 no more.
    """
    with _job(work, work, held_at=10) as job:
        job.wait_until_held(LIMIT)
        # The coordinator copies the last step's results once more than the loop has: if it
        # could not, it would make that step again.
        time.sleep(1)
        job.freeze(("worker", 1))
        job.let_go()
        _until_stuck(job)
        killed = time.time()
        job.kill(("worker", 1))
        if restarted:
            job.start(("worker", 1))
        stuck = len(job.progress())
        job.wait_for_runs(stuck + 1, LIMIT)
        recovered = job.progress()[stuck].time - killed
        code = job.code(("worker", 0), LIMIT)
        if code:
            raise RuntimeError(job.everything())
        if restarted and job.code(("worker", 1), LIMIT):
            raise RuntimeError(job.everything())
    trace = _trace(work, work)
    return Recovery(recovered=recovered, lost=repeated(trace), trace=trace)


def ps_killed(work: pathlib.Path, *, at: tuple[int, ...] = (33, 16)) -> Recovery:
    """The parameter server is killed; the job fails and is started again, each time.

    It is not started again under the job, which waits for it no longer than a second.
    Twice, so that the chief makes the last step as it does undisturbed: it saves after a
    step of its own, and after that worker 0 begins.

    Args:
      at: the runs of worker 0, of each job, before which it is killed.
    """
    detected, lost, said, step = 0.0, 0, "", 0
    for number, run in enumerate(at):
        with _job(work / str(number), work, held_at=run, wait_secs=1) as job:
            job.wait_until_held(LIMIT)
            done = step + len(job.progress())
            killed = time.time()
            job.kill(("ps", 0))
            job.let_go()
            if job.code(("worker", 0), LIMIT) == 0:
                raise RuntimeError(job.everything())
            detected = max(detected, time.time() - killed)
            said = job.output(("worker", 0)).strip().splitlines()[-1]
        step = _saved_step(work)
        lost += done - step
    started = time.time()
    with _job(work / "last", work) as job:
        job.wait_for_runs(1, LIMIT)
        recovered = job.progress()[0].time - started
        if job.code(("worker", 0), LIMIT):
            raise RuntimeError(job.everything())
    return Recovery(detected, recovered, lost, said, _trace(work / "last", work))


def ps_restarted(work: pathlib.Path) -> Recovery:
    """The parameter server is killed and started again; the job goes on by itself.

    As TF1's did: the loops keep what they have, and what was done since the last
    checkpoint is lost.
    """
    with _job(work, work, held_at=33) as job:
        job.wait_until_held(LIMIT)
        done = len(job.progress())
        killed = time.time()
        job.kill(("ps", 0))
        job.start(("ps", 0))
        job.let_go()
        job.wait_for_runs(done + 1, LIMIT)
        recovered = job.progress()[done].time - killed
        for task in (("worker", 0), ("worker", 1)):
            if job.code(task, LIMIT):
                raise RuntimeError(job.everything())
    trace = _trace(work, work)
    batches = np.concatenate([trace[f"{w}/batch"] for w in range(WORKERS)])
    lost = int((trace["checkpoint/trained"][0, batches] == 0).sum())
    return Recovery(recovered=recovered, lost=lost, trace=trace)


def chief_stopped(work: pathlib.Path) -> tuple[int, int, dict[Task, int]]:
    """Worker 0 is asked to stop; steps done, the step saved, and how the tasks ended."""
    with _job(work, work, held_at=33) as job:
        job.wait_until_held(LIMIT)
        done = len(job.progress())
        job.stop(("worker", 0))
        tasks = (("worker", 0), ("worker", 1))
        codes = {task: job.code(task, LIMIT) for task in tasks}
    return done, _saved_step(work), codes


def workers_gone(work: pathlib.Path, *, wait_secs: float = 5.0) -> Recovery:
    """Every worker is killed; the chief, a task of its own, waits only so long."""
    text = SCENARIO.program.read_text()
    for old, new in WITH_CHIEF:
        if text.count(old) != 1:
            raise ValueError(f"tf1.py has not one {old!r}")
        text = text.replace(old, new)
    (work / "source").mkdir(parents=True)
    source = work / "source" / "tf2.py"
    source.write_text(migrate_text(text).text)
    tasks = (("ps", 0), ("chief", 0), ("worker", 0), ("worker", 1))
    with Job(
        runner.copied(source, work / "program"),
        # More steps than are done before the kill.
        [*arguments(work, work), "--train_steps=100000", "--num_batches=400000"],
        work / "job",
        tasks=tasks,
        in_turns=False,
        wait_secs=wait_secs,
    ) as job:
        job.wait_for_runs(5, LIMIT)
        killed = time.time()
        for task in tasks[2:]:
            job.kill(task)
        code = job.code(("chief", 0), LIMIT)
        detected = time.time() - killed
        if code == 0:
            raise RuntimeError(job.everything())
        said = job.output(("chief", 0)).strip().splitlines()[-1]
    return Recovery(detected, said=said)


# -- helpers ---------------------------------------------------------------------------


def _initial() -> Mapping[str, oracle.Array]:
    return oracle.recorded(SCENARIO, RUN).initial


def _job(
    work: pathlib.Path,
    directory: pathlib.Path,
    *,
    held_at: int = 0,
    wait_secs: float = 0.0,
) -> Job:
    """The scenario's tf2.py, going on from the checkpoints in `directory`."""
    prepare(directory)
    flags = [*arguments(work, directory), f"--train_steps={SCENARIO.steps}"]
    program = runner.copied(SCENARIO.migration, work / "program")
    return Job(program, flags, work / "job", held_at=held_at, wait_secs=wait_secs)


def prepare(directory: pathlib.Path) -> None:
    """Writes the checkpoint that the training begins with, where there is none."""
    if not (directory / "checkpoints").exists():
        checkpoints.write(directory / "checkpoints", _initial(), 0)


def arguments(work: pathlib.Path, directory: pathlib.Path) -> list[str]:
    """The program's flags, without those of the cluster."""
    return [
        f"--trace={work / 'trace'}",
        f"--dtype={RUN.dtype}",
        f"--checkpoint_dir={directory / 'checkpoints'}",
    ]


def _saved_step(work: pathlib.Path) -> int:
    listed = (work / "checkpoints" / "checkpoint").read_text().splitlines()[0]
    return int(listed.strip('"').rpartition("-")[2])


def _trace(work: pathlib.Path, directory: pathlib.Path) -> Trace:
    trace = runner.collected(work / "trace", WORKERS)
    for name, value in checkpoints.read(directory / "checkpoints").items():
        if name in _initial():
            trace[f"checkpoint/{name}"] = value[np.newaxis]
    return trace


def repeated(trace: Trace) -> int:
    """Counts the updates of the variables by batches that they had already used.

    Every batch's entry of `trained` has gradient 1 whenever it is trained on, at a rate
    of 1/16, so that counts are exact.
    """
    times = -16 * trace["checkpoint/trained"]
    return int(times.sum() - (times > 0).sum())


def _until_stuck(job: Job) -> None:
    """Until no run has ended for two seconds."""
    deadline = time.monotonic() + LIMIT
    seen, since = -1, time.monotonic()
    while time.monotonic() - since < 2:
        if time.monotonic() > deadline:
            raise TimeoutError(job.everything())
        if len(job.progress()) != seen:
            seen, since = len(job.progress()), time.monotonic()
        time.sleep(0.05)


# -- the numbers -----------------------------------------------------------------------


ACCIDENTS: dict[str, Callable[[pathlib.Path], Recovery]] = {
    "a worker is killed": worker_killed,
    "a worker is killed and started again": functools.partial(
        worker_killed, restarted=True
    ),
    "the parameter server is killed and started again": ps_restarted,
    "the parameter server is killed, and again after the job's restart": ps_killed,
    "all workers are killed, and the chief waits 5 s for them": workers_gone,
}


def measure() -> dict[str, dict[str, float]]:
    """Seconds and steps of every accident, as docs/numerics.md shows them."""
    found = {}
    with tempfile.TemporaryDirectory(prefix="tf1to2-") as temporary:
        for number, (name, accident) in enumerate(ACCIDENTS.items()):
            recovery = accident(pathlib.Path(temporary) / str(number))
            found[name] = {
                "seconds until it fails": round(recovery.detected, 2),
                "seconds until the next step": round(recovery.recovered, 2),
                "steps lost": recovery.lost,
            }
    return found


if __name__ == "__main__":
    NUMBERS.write_text(json.dumps(measure(), indent=1) + "\n")
    print(NUMBERS.read_text())
