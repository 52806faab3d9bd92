"""`tf1to2 verify` from beginning to end: runs, comparison, verdict."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import pathlib
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence

import numpy as np

from reference import environment
from reference.verify import (
    codes,
    earlier,
    notebooks,
    stages,
    tasks,
    tolerance,
    workspace,
)
from reference.verify.compare import Comparison, compare_workers
from reference.verify.problems import CannotRun
from reference.verify.records import Record
from reference.verify.rows import Records, Row
from reference.verify.runs import Limits, Program, Runs
from reference.verify.verdict import Outcome, Verdict, judge

# What a program in graph mode says before it builds one.
_GRAPH_MODE = re.compile(r"\bdisable_(v2_behavior|eager_execution)\(")


@dataclasses.dataclass
class Request:
    """The programs to verify, and the settings.

    Attributes:
      old: the original program.
      new: its migration; None: `tf1to2 migrate` makes it first.
      arguments: of both programs.
      work: an empty directory for all that is made.
      python: an interpreter with TensorFlow 1.15.5; None: the one that is found.
      data: what the programs only read, and is not copied.
      root: the directory that is copied; None: the program's.
      launch, ps, workers, flags: which processes the programs are; see `tasks`.
      preloaded: processes are forked from one with TensorFlow imported (tests).
      originals: the original's runs in that directory, where it is verified several
        times: what is there is not run again.
      bisects: whether programs that differ are run again, to say where they part.
      fallback: "compat" if a program that is refused is brought to graph mode.
    """

    old: pathlib.Path
    new: pathlib.Path | None
    arguments: Sequence[str]
    work: pathlib.Path
    limits: Limits = Limits()
    python: str | None = None
    data: Sequence[pathlib.Path] = ()
    root: pathlib.Path | None = None
    launch: str = "auto"
    ps: int | None = None
    workers: int | None = None
    flags: str = ""
    preloaded: bool = False
    originals: dict[str, Record] = dataclasses.field(default_factory=dict)
    bisects: bool = True
    fallback: str = ""
    say: Callable[[str], None] = lambda text: None


def verify(request: Request) -> Verdict:
    """Runs both programs and judges; whatever keeps it from that is in the verdict."""
    try:
        return _verify(request)
    except CannotRun as error:
        return Verdict(Outcome.UNKNOWN, f"could not run: {error}")


def _verify(request: Request) -> Verdict:
    old, oracle = _original(request)
    new = _start_alike(request, old, _migrated(request))
    try:
        program = notebooks.code_of(request.old)
    except ValueError as error:
        raise CannotRun(str(error)) from error
    started = tasks.of_program(
        program,
        request.arguments,
        request.launch,
        request.ps,
        request.workers,
        request.flags,
    )
    runs = Runs(
        request.work,
        request.arguments,
        request.limits,
        request.data,
        request.preloaded,
        request.say,
        started,
    )
    known = request.originals
    if "first" not in known:
        known["first"] = runs.run(old, "first", makes_start=True)
    again = dataclasses.replace(old, name="the original again")
    name = _unused(request.work, "new")
    # Each waits for a process.
    with concurrent.futures.ThreadPoolExecutor(1 if started.has_ports else 2) as pool:
        ours = pool.submit(runs.run, new, name)
        if "second" not in known:
            known["second"] = pool.submit(runs.run, again, "second").result()
        migrated = ours.result()
    records = Records(known["first"], known["second"], migrated)
    workers = 1 if started.client else started.workers
    comparison = compare_workers(records, workers)
    if any(row.difference or row.wrong for row in comparison.rows):
        # What rounding alone does is measured before anything is blamed.
        shifted = dataclasses.replace(old, name="the original, one ULP moved")
        if "shifted" not in known:
            known["shifted"] = runs.run(shifted, "shifted", ulps=1)
        records.shifted = known["shifted"]
        comparison = compare_workers(records, workers)
    race = _race(known["first"], known["second"])
    if _may_be_kernels(comparison) and old.side == "tf1" and not race:
        request.say("the original on this TensorFlow's compat.v1")
        records.kernels = _on_this_tensorflow(runs, old)
        if records.kernels is not None:
            comparison = compare_workers(records, workers)
    verdict = judge(
        records, comparison, oracle, _reduced(records, runs, request, old, new)
    )
    if verdict.outcome is Outcome.DIFFERENT and request.bisects:
        verdict.stage = stages.stage_of(records, verdict, runs, old, new)
        rows = [r for r in (verdict.first, verdict.variable) if r is not None]
        places = {r.old_at for r in rows} | set(stages.places(records, verdict))
        verdict.codes = codes.touching(old.path, places)
    _name_cells(verdict, request.old, new.path)
    return verdict


def _name_cells(verdict: Verdict, *programs: pathlib.Path) -> None:
    """Names the cells of notebooks, where the verdict has lines of their programs."""
    verdict.stage = notebooks.name_cells(verdict.stage, *programs)
    for row in verdict.comparison.rows if verdict.comparison else ():
        row.old_at = notebooks.name_cells(row.old_at, *programs)
        row.new_at = notebooks.name_cells(row.new_at, *programs)


def _may_be_kernels(comparison: Comparison) -> bool:
    """Whether some value is apart by so little that another rounding could explain it."""
    return any(map(_is_rounding, comparison.wrong))


def _is_rounding(row: Row) -> bool:
    # A training in float64 has losses that compute in float32, as log_loss.
    rounds = row.share <= tolerance.FEW * float(np.finfo(np.float32).eps)
    return row.floats and (rounds or row.excess <= tolerance.FEW)


def _on_this_tensorflow(runs: Runs, old: Program) -> Record | None:
    """The original in the TensorFlow that runs the migration, graph and all.

    What it differs by there is the work of TensorFlow's kernels and of nobody else. None
    where it cannot run there, as what uses tf.contrib.
    """
    program = dataclasses.replace(
        old, name="the original on compat.v1", python=sys.executable, side="compat"
    )
    try:
        return runs.run(program, _unused(runs.work, "kernels"))
    except CannotRun:
        return None


def _unused(directory: pathlib.Path, name: str) -> str:
    found, number = name, 1
    while (directory / found).exists():
        number += 1
        found = f"{name}-{number}"
    return found


def _original(request: Request) -> tuple[Program, str]:
    root = (request.root or request.old.parent).resolve()
    path = request.old.resolve()
    if request.python is not None:
        name = f"TensorFlow {environment.TF1.version}"
        return Program("the original", root, path, request.python, "tf1"), name
    try:
        oracle = environment.find_oracle(request.say)
    except RuntimeError as error:
        raise CannotRun(f"no TensorFlow 1: {error}") from error
    program = Program("the original", root, path, str(oracle.python), oracle.side)
    return program, oracle.name


def _migrated(request: Request) -> Program:
    if request.new is not None:
        path = request.new.resolve()
        return Program(
            "the migration", path.parent, path, sys.executable, _side_of(path)
        )
    root = (request.root or request.old.parent).resolve()
    target = request.work / "migrated"
    request.say("migrating into a temporary copy")
    workspace.copy_tree(root, target, request.limits.copied, request.data)
    program = target / request.old.resolve().relative_to(root)
    files = [str(p) for p in workspace.local_files(program, target)]
    before = [pathlib.Path(file).read_bytes() for file in files]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "tf1to2", "migrate", "--write"),
            *([f"--fallback={request.fallback}"] if request.fallback else []),
            *files,
        ],
        capture_output=True,
        text=True,
        timeout=600,
    )
    side = _side_of(program)
    # A program is migrated whole, or left as it was. A warning alone, too, is told by the
    # command's exit code.
    if done.returncode and before == [pathlib.Path(f).read_bytes() for f in files]:
        told = done.stderr.replace(str(target), str(root)).strip()
        raise CannotRun(f"the program is not migrated:\n{told}")
    return Program("the migration", target, program, sys.executable, side)


def _start_alike(request: Request, old: Program, new: Program) -> Program:
    """Has a migration that the user gave begin with the original's checkpoints."""
    if request.new is None:
        return new
    directory = old.path.parent
    differing = earlier.find_differing(directory, new.root, request.data)
    return dataclasses.replace(new, original=directory, differing=differing)


def _side_of(program: pathlib.Path) -> str:
    """Whether a program runs graphs in sessions, as `--fallback compat` has it, or eagerly."""
    files = workspace.local_files(program, program.parent)
    texts = [path.read_text(errors="replace") for path in files]
    switched = any(_GRAPH_MODE.search(text) for text in texts)
    return "graph" if switched else "tf2"


def _reduced(
    records: Records, runs: Runs, request: Request, old: Program, new: Program
) -> list[str]:
    found = []
    if new.differing:
        found.append(earlier.explain(new.differing))
    if old.side == "compat":
        found.append(
            "The original ran on TensorFlow 2's compat.v1, because TensorFlow 1.15.5 "
            "could not be had: what has changed since 1.15.5 inside of compat.v1 is not "
            "proved, and nothing of tf.contrib can run."
        )
    if request.new is not None and runs.completed:
        found.append(
            f"{', '.join(sorted(set(runs.completed)))}: the migration imports what does "
            "not stand beside it, and does not start without. The runs had the tool's own."
        )
    limits, started = runs.limits, runs.tasks
    if not started.alone:
        found.append(started.said or "Started as tasks of a cluster.")
        if started.tf_config:
            found.append(
                "No evaluator was started: what one evaluates in a cluster is not proved "
                "(--launch alone evaluates in the one process)."
            )
        if started.workers > 1 and not started.client:
            found.append(
                f"{started.workers} workers were held to one order: asynchronous ones "
                "take turns, synchronous ones begin each step together. Other orders "
                "are not proved."
            )
        if started.workers == 1 and not request.workers:
            found.append(
                "The cluster has one worker, which makes it the same in every run: what "
                "several do to each other is not proved (--workers)."
            )
    ends = [r.end or {} for r in (records.first, records.new)]
    told = [end.get("told", {}) for end in ends]
    if any(end.get("reason") == "enough" for end in ends):
        found.append(
            f"Both programs were stopped after {limits.steps} steps (--steps): what they "
            "do later is not proved."
        )
    if any(t.get("unseeded") for t in told):
        found.append(
            "Operations that draw without a seed of their own (initial values, dropout, "
            "noise, shuffling) were given one and the same in both programs: masks and "
            "noise are alike, and other draws are not proved."
        )
    if any(t.get("softened") for t in told):
        found.append(
            "The original places operations on GPUs. This machine has none, so that they "
            "ran on its CPU."
        )
    if any(t.get("tokens") for t in told):
        found.append(
            "SyncReplicasOptimizer began without tokens (num_tokens=0): with those it has "
            "otherwise workers run ahead of the update, by chance."
        )
    if any(t.get("shuffled") for t in told):
        found.append(
            "numpy_input_fn(shuffle=True) gave the rows in their order: which row its "
            "queue gives depends on threads. No order of shuffling is proved."
        )
    if any(t.get("fused") for t in told):
        found.append(
            "Dataset.shuffle(...).repeat() gave its rows in TensorFlow 2's order: "
            "TensorFlow 1.15 makes one operation of the two, which has another (I112)."
        )
    lost = [n for e in records.new.of("unmatched") for n in e["names"]]
    if lost:
        found.append(
            f"{', '.join(lost)} of the migrated program began from values of their own: "
            "the original has no variable of that name, nor as many of that shape."
        )
    names = sorted({name for t in told for name in t.get("generators", ())})
    if names:
        found.append(
            f"{' and '.join(names)} drew numbers that the program does not seed: they "
            "were seeded alike."
        )
    if records.kernels is not None:
        found.append(
            "Some values are apart by little more than one ULP of the initial values "
            "explains. So the original was run in the TensorFlow of the migration, too "
            "(compat.v1): what its kernels alone make of it is allowed twice."
        )
    race = _race(records.first, records.second)
    if race:
        found.append(
            f"The original differs from itself in two runs, first in {race}: what it "
            f"differs by is allowed twice."
        )
    return found


def _race(first: Record, second: Record) -> str:
    for a, b in zip(first.steps, second.steps):
        for name, told in a["variables"].items():
            other = b["variables"].get(name, {})
            if told.get("digest") != other.get("digest"):
                return f"{name} at step {a['step']}"
    return ""


def clean(work: pathlib.Path) -> None:
    """Removes what was made."""
    shutil.rmtree(work, ignore_errors=True)
