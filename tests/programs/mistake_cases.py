"""Mistakes that tutorials teach: each with a program, run before and after it is mended.

`python -m tests.programs.mistake_cases` runs those that have changed and records what they
wrote in `mistakes/traces.json`, from which `docs/mistakes.md` is made; `test_mistakes.py`
runs them again. A program of TensorFlow 1 makes its mistake under genuine 1.15.5.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import dataclasses
import hashlib
import json
import os
import pathlib
import sys
import tempfile
from collections.abc import Iterable

from migrate.beside import files as beside
from migrate.compiler import migrate_text
from migrate.migration import Migration
from reference import processes, runner
from reference.environment import find_tf1

HERE = pathlib.Path(__file__).parent
PROGRAMS = HERE / "mistakes"
RECORDED = PROGRAMS / "traces.json"
# What a program writes, one number per step; None: it failed.
Trace = list[float] | None
Traces = dict[str, Trace]


@dataclasses.dataclass(frozen=True)
class Case:
    """One program of `tests/programs/mistakes`.

    Attributes:
      name: its file, without suffix.
      codes: what is found in it.
      numbers: what the numbers are that it writes.
      tells: what the trace shows.
      variant: which of several mistakes with the same codes it is.
      workers: of a TensorFlow 1 cluster; 0 for a program of TensorFlow 2.
      replicated: it trains on two replicas, and mended learns what one learns.
      by_hand: where the fix is not made, it is in the file of that name and `_by_hand`.
      fails: the program with the mistake writes nothing.
      runs_on: the program as it is writes the same: its names are only old.
      alone: it ends its process, or makes a strategy that others would disturb.
      races: the numbers with the mistake, or all, are a race's.
    """

    name: str
    codes: frozenset[str]
    numbers: str
    tells: str
    variant: str = ""
    workers: int = 0
    replicated: bool = False
    by_hand: bool = False
    fails: bool = False
    runs_on: bool = False
    alone: bool = False
    races: bool = False

    @property
    def old(self) -> str:
        return (PROGRAMS / f"{self.name}.py").read_text()

    @property
    def new(self) -> str:
        """As it is mended: by the tool, or by hand as its recipe says."""
        return (
            (PROGRAMS / f"{self.name}_by_hand.py").read_text()
            if self.by_hand
            else migrate_text(self.old).text
        )

    @property
    def digest(self) -> str:
        """Of what the case's programs are written as."""
        by_hand = self.new if self.by_hand else ""
        return hashlib.sha256((self.old + by_hand).encode()).hexdigest()


CASES = (
    Case(
        "hosts",
        frozenset({"D101"}),
        "How many parameter servers and workers the cluster has.",
        "ClusterSpec refuses the string with a TypeError.",
        fails=True,
    ),
    Case(
        "no_server",
        frozenset({"D144"}),
        "The loss of the chief.",
        "Without a master, the session uses only its own process. The parameter server "
        "is in another process, so TensorFlow raises InvalidArgumentError.",
        workers=1,
        fails=True,
    ),
    Case(
        "every_chief",
        frozenset({"D111"}),
        "The loss of worker 0; worker 1 opens its session after the third step.",
        "The second chief gives all variables their initial values again. So the loss is "
        "back at 64.",
        workers=2,
    ),
    Case(
        "every_initial_value",
        frozenset({"D112"}),
        "The loss of worker 0; worker 1 opens its session after the third step.",
        "When worker 1 begins, it gives all variables their initial values again. So the "
        "loss is back at 64.",
        workers=2,
    ),
    Case(
        "more_gradients",
        frozenset({"D145"}),
        "The loss of the only worker in six runs of its training step.",
        "The optimizer waits for two gradients before it makes an update, and the only "
        "worker sends one in each run. So half of the runs change nothing. If you do not "
        "correct this, the migrated program stops with an error that names the two numbers.",
        workers=1,
        by_hand=True,
        races=True,
    ),
    Case(
        "global_step",
        frozenset({"D147"}),
        "The examples that worker 0 reads, by number. It takes turns with worker 1.",
        "The global step counts the steps of both workers. So worker 0 leaves out every "
        "second example, and worker 1 leaves out the same ones.",
        workers=2,
        by_hand=True,
        # A step fetched beside its update is now and then the one after it.
        races=True,
    ),
    Case(
        "asynchronous",
        frozenset({"D140"}),
        "The largest staleness: how many updates other workers made between the computation "
        "of a gradient and its update.",
        "Under MirroredStrategy it is 0, because all replicas make each step together. "
        "With parameter servers each worker applies its gradient at once.",
        by_hand=True,
        alone=True,
        races=True,
    ),
    Case(
        "outside_run",
        frozenset({"D141"}),
        "The sum of the last replica's weights after each step.",
        "The weights of the last replica are never trained, because the step runs on the "
        "first replica only. After the correction, both replicas learn what one replica "
        "learns from the whole batch.",
        replicated=True,
        alone=True,
    ),
    Case(
        "whole_batch_for_all",
        frozenset({"D106", "D108"}),
        "The sum of the weights after each step.",
        "Every replica gets the whole batch, and the strategy adds up the gradients. So "
        "each step changes the weights twice as much. After the correction, two replicas "
        "learn what one replica learns.",
        replicated=True,
        alone=True,
    ),
    Case(
        "wrong_arguments",
        frozenset({"D142"}),
        "The sum of the weights after each step.",
        "The step gets one argument too few, so Python raises TypeError.",
        replicated=True,
        fails=True,
        alone=True,
    ),
    Case(
        "mean_of_a_part",
        frozenset({"D104"}),
        "The sum of the weights after each step.",
        "With two replicas, each step changes the weights twice as much. After the "
        "correction, two replicas learn what one replica learns.",
        replicated=True,
        alone=True,
    ),
    Case(
        "softmax_twice",
        frozenset({"D102"}),
        "The mean probability of the right class, in 30 steps.",
        "A softmax of a softmax gives nearly equal probabilities. So the program learns "
        "more slowly.",
        variant="two softmaxes",
    ),
    Case(
        "no_softmax",
        frozenset({"D102"}),
        "The share of right answers, in 30 steps.",
        "The loss takes the logits for probabilities, and cuts them off at 0 and 1. So the "
        "program hardly learns.",
        variant="no softmax",
    ),
    Case(
        "one_seed",
        frozenset({"D143"}),
        "The number of different orders in which two workers read the same 64 records.",
        "Both workers read the same records at the same time. So two workers see no more "
        "than one worker sees.",
        alone=True,
    ),
    Case(
        "evaluator_listed",
        frozenset({"D146"}),
        "The program writes 0 when the servers have started, and then the value of a "
        "variable on them.",
        "Before the correction the value never comes, because the strategy waits for the "
        "evaluator. The program ends itself after ten seconds. Without this limit, "
        "TensorFlow still waited after ten minutes.",
        alone=True,
    ),
    Case(
        "communication",
        frozenset({"D108"}),
        "The number of replicas.",
        "TensorFlow 2.21 no longer has the older name.",
        variant="CollectiveCommunication",
        fails=True,
    ),
    Case(
        "older_names",
        frozenset({"D108"}),
        "The sums of the two batches.",
        "Since TensorFlow 2.4 the strategy does not take this argument. So Python raises "
        "TypeError.",
        variant="the argument of a strategy",
        fails=True,
    ),
    Case(
        "older_iterator",
        frozenset({"D108"}),
        "The losses of two batches, in each of two epochs.",
        "TensorFlow 2.21 still runs both older methods, with the same losses. Its source "
        "calls them deprecated, and for TensorFlow 1 only.",
        variant="an iterator of the strategy",
        runs_on=True,
    ),
)
_QUIET = {**runner.ENVIRONMENT, "TF_CPP_MIN_LOG_LEVEL": "3"}


def _trace(path: pathlib.Path) -> Trace:
    lines = path.read_text().splitlines() if path.exists() else []
    return [float(line.split()[1]) for line in lines] or None


def run_alone(programs: dict[str, str], directory: pathlib.Path) -> Traces:
    """What programs of TensorFlow 2 write, run in one process of their own."""
    directory.mkdir(parents=True, exist_ok=True)
    paths = {}
    for title, text in programs.items():
        paths[title] = directory / f"{title.replace(' ', '_')}.py"
        paths[title].write_text(text)
    out = directory / "out"
    with contextlib.suppress(processes.TasksFailed):  # As half of them are to.
        processes.run_tasks(
            sys.executable,
            HERE / "alone" / "run_all.py",
            [],
            directory,
            ps=0,
            environment=_QUIET,
            timeout=240,
            command_line=lambda *task: [str(out), *map(str, paths.values())],
            preloaded=True,
        )
    return {t: _trace(out / p.stem / "loss.0") for t, p in paths.items()}


def run_cluster(case: Case, python: str, text: str, work: pathlib.Path) -> Trace:
    """What worker 0 of a TensorFlow 1 program, or of its migration, writes."""
    work.mkdir(parents=True, exist_ok=True)
    program = work / f"{case.name}.py"
    program.write_text(text)
    if python == sys.executable:
        beside.write(work, text)
    try:
        processes.run_tasks(
            python,
            program,
            [f"--dir={work}"],
            work,
            workers=case.workers,
            environment=_QUIET,
            preloaded=python == sys.executable,
        )
    except processes.TasksFailed:
        return None
    return _trace(work / "loss.0")


def run_migrated(case: Case, migration: Migration, work: pathlib.Path) -> Trace:
    """What worker 0 of a TensorFlow 1 program writes that is migrated."""
    return run_cluster(case, sys.executable, migration.text, work)


def run_before(
    python: str, directory: pathlib.Path, cases: Iterable[Case] = CASES
) -> Traces:
    """What the programs of TensorFlow 1 write under 1.15.5, by name."""
    clustered = [case for case in cases if case.workers]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        traces = pool.map(
            lambda c: run_cluster(c, python, c.old, directory / c.name), clustered
        )
        return {c.name: t for c, t in zip(clustered, traces, strict=True)}


def titles(cases: Iterable[Case] = CASES) -> list[str]:
    """All that runs under this TensorFlow.

    "old NAME" (of programs of TensorFlow 2), "new NAME", and "one NAME" (the mended
    program on one replica).
    """
    found = []
    for case in cases:
        found.append(f"new {case.name}")
        if not case.workers:
            found.append(f"old {case.name}")
            if case.replicated:
                found.append(f"one {case.name}")
    return found


def run_titled(title: str, directory: pathlib.Path) -> Trace:
    """What one of the `titles` writes."""
    which, _, name = title.partition(" ")
    (case,) = (case for case in CASES if case.name == name)
    if case.workers:
        migration = migrate_text(case.new if case.by_hand else case.old)
        return run_migrated(case, migration, directory)
    text = case.new
    if which == "one":
        text = text.replace("else 2", "else 1")
    if which == "old":
        text = case.old
        if case.alone:
            # That its run is called otherwise is a mistake of its own.
            text = text.replace("experimental_run_v2", "run")
    return run_alone({title: text}, directory)[title]


class Found:
    """What programs write; each is run when it is first asked for."""

    def __init__(self, work: pathlib.Path) -> None:
        self._work = work
        self._traces: Traces = {}

    def __getitem__(self, title: str) -> Trace:
        if title not in self._traces:
            directory = self._work / title.replace(" ", "_")
            self._traces[title] = run_titled(title, directory)
        return self._traces[title]


def recorded() -> dict[str, dict[str, Trace]]:
    """Traces before and after, by name.

    Raises:
      ValueError: a program or its mended form has changed since.
    """
    rows = json.loads(RECORDED.read_text())
    old = [c.name for c in CASES if rows.get(c.name, {}).get("digest") != c.digest]
    if old:
        raise ValueError(f"recorded before they changed: {old}; see {__name__}")
    return {name: row["traces"] for name, row in rows.items()}


def main() -> None:
    python = find_tf1()
    if python is None:
        raise SystemExit("no Python 3.7 with TensorFlow 1.15.5 on this machine")
    rows = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    stale = tuple(c for c in CASES if rows.get(c.name, {}).get("digest") != c.digest)
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary)
        before = run_before(str(python), work / "tf1", stale)
        found = {t: run_titled(t, work / t.replace(" ", "_")) for t in titles(stale)}
    rows |= {
        case.name: {
            "digest": case.digest,
            "traces": {
                "before": before.get(case.name, found.get(f"old {case.name}")),
                "after": found[f"new {case.name}"],
            },
        }
        for case in stale
    }
    rows = {case.name: rows[case.name] for case in CASES}
    RECORDED.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    main()
