"""Declares a reference scenario: a TF1 program, its runs, and what must agree.

A scenario is a directory `reference/<name>`:

    spec.py     SCENARIO = Scenario(...)
    tf1.py      a TF1 program, as a user would have written it
    tf2.py      what `tf1to2 migrate` writes for it; hand-written where `refused` says so
    half.py     where there is one: tf1.py migrated by half, and tf2.py is what the tool
                writes for that
    recorded/   what TensorFlow 1.15.5 computed, by `python -m reference record`

Both programs take these flags beside those of their own:

    --trace=PREFIX     worker i writes `PREFIX.<i>.npz`: arrays by name, the first axis
                       is the worker's own step; a final value has a first axis of 1
    --dtype=NAME       float32 or float64
    --train_steps=N
    --job_name, --task_index, --ps_hosts, --worker_hosts    where there is a cluster
    --data_dir         where the scenario says `data`
    --checkpoint_dir   where it says `checkpoint` or `resumed`
"""

from __future__ import annotations

import dataclasses
import enum
import fnmatch
import pathlib

HERE = pathlib.Path(__file__).parent
DTYPES = ("float32", "float64")


class Shape(enum.Enum):
    """The processes that a program is run as."""

    SINGLE = "one process"
    """One process without cluster flags; it writes worker 0's trace."""
    BETWEEN_GRAPH = "a process per task"
    """`--job_name=ps` and `worker`; done when all workers have ended."""
    CLIENT = "servers and a client"
    """As BETWEEN_GRAPH, but all tasks only serve, and one more process with
    `--job_name=client --task_index=0` trains and writes worker 0's trace; done when
    it has ended."""


class Order(enum.Enum):
    """The order in which `gated.py` holds the workers' runs, so that traces repeat."""

    FREE = "free"
    """Not at all: one worker, or a program that keeps its own order."""
    IN_STEP = "in step"
    """No TF1 worker begins its run r before all have begun theirs (SyncReplicas,
    whose tokens alone let a fast worker run ahead). TF2's collectives do it alone."""
    TURNS = "turns"
    """Worker 0's run r, then worker 1's, and so on, under TF1 and TF2 alike."""


@dataclasses.dataclass(frozen=True)
class Topology:
    """The cluster of a run, on the loopback interface.

    Attributes:
      ps: parameter servers.
      workers: worker tasks, each of which writes a trace (where there is no client).
      shape: which processes there are.
      order: how the workers are held to one order.
    """

    ps: int = 1
    workers: int = 1
    shape: Shape = Shape.BETWEEN_GRAPH
    order: Order = Order.FREE

    @property
    def writers(self) -> int:
        """The number of tasks that write a trace: the workers, or the one client."""
        return 1 if self.shape is Shape.CLIENT else self.workers

    def __str__(self) -> str:
        if self.shape is Shape.SINGLE:
            return str(self.shape.value)
        text = f"{self.ps} ps, {self.workers} worker{'s' * (self.workers > 1)}"
        if self.shape is Shape.CLIENT:
            text += ", a client"
        return text if self.order is Order.FREE else f"{text}, {self.order.value}"


SINGLE = Topology(ps=0, workers=1, shape=Shape.SINGLE)


@dataclasses.dataclass(frozen=True)
class Looser:
    """A tolerance of its own for some of a run's arrays.

    Attributes:
      pattern: which, as a shell pattern of the trace's key ("*/adam/loss").
      tolerance: largest absolute difference.
      reason: why it is not smaller.
    """

    pattern: str
    tolerance: float
    reason: str


@dataclasses.dataclass(frozen=True)
class Run:
    """One training of a scenario's program.

    Attributes:
      name: unique within the scenario.
      arguments: command-line flags beside those named above.
      dtype: "float32" or "float64".
      tolerance: largest absolute difference of one element of the trace.
      reason: why it is not smaller.
      topology: where it is not the scenario's.
      looser: arrays with a tolerance of their own; the first match counts.
    """

    name: str
    arguments: tuple[str, ...] = ()
    dtype: str = "float32"
    tolerance: float = 0.0
    reason: str = "the same operations in the same order"
    topology: Topology | None = None
    looser: tuple[Looser, ...] = ()

    def tolerance_of(self, key: str) -> float:
        """The tolerance of one array of the trace."""
        for row in self.looser:
            if fnmatch.fnmatchcase(key, row.pattern):
                return row.tolerance
        return self.tolerance


@dataclasses.dataclass(frozen=True)
class Fault:
    """A wrong migration, which the comparison must tell from the right one.

    Attributes:
      name: what is wrong.
      run: the name of the run it is planted in.
      old: text of the program that `new` replaces, everywhere; it must occur.
      new: see `old`.
      steps: trains only so many, where they are enough to show it.
      file: where it is planted: the program, or a module the tool writes beside it.
      program: tf2.py, or an alternative program.
    """

    name: str
    run: str
    old: str
    new: str
    steps: int | None = None
    file: str = "tf2.py"
    program: str = "tf2.py"


@dataclasses.dataclass(frozen=True)
class Alternative:
    """Another TF2 program that must give the same trace as tf1.py.

    Attributes:
      name: says which, in tests and tables ("mirrored").
      program: its file beside tf2.py.
      reason: what it shows that tf2.py does not.
      runs: names of the runs it is compared in.
      topology: its processes. It writes one trace per worker of the original.
      estimators: the value of `--estimators` with which the tool writes it; "" where it
        is written by hand.
    """

    name: str
    program: str
    reason: str
    runs: tuple[str, ...]
    topology: Topology = SINGLE
    estimators: str = ""


@dataclasses.dataclass(frozen=True)
class Scenario:
    """One directory `reference/<name>`.

    Attributes:
      name: the directory's name.
      title: one line for tables.
      steps: what --train_steps is given.
      topology: the cluster, where a run has none of its own.
      runs: what is recorded and compared; may be empty where only the scenario's own
        tests can run it (killed tasks).
      faults: planted faults; each makes the comparison fail.
      half: the program that the tool is given, where it is not tf1.py itself but what a
        user has made of it half the way to TF2; no TensorFlow runs it.
      refused: the code with which the tool refuses tf1.py (tf2.py is hand-written then).
      refusal: a sentence: why, and what tf2.py does instead.
      proves: rows of the tool's tables this is the proof of, "<table>:<symbol>".
      data: the programs read `--data_dir` (an MNIST stand-in).
      checkpoint: every run starts from a TF1 checkpoint of step 0 in --checkpoint_dir;
        the checkpoint at the end is part of the trace ("checkpoint/<variable>").
      resumed: TF1 trains without a break; the migration goes on from the checkpoint
        that TF1 itself saved after so many steps (recorded beside the trace, file by
        file), and the traces are compared from there on. 0: from the beginning.
      alternatives: further TF2 programs.
      no_compat: why tf1.py cannot run on tf.compat.v1 ("" where it can): what it uses
        that is gone (tf.contrib), or computes otherwise there.
      timeout: seconds for one run on a loaded machine.
      root: the directory that holds the scenarios.
    """

    name: str
    title: str
    steps: int
    runs: tuple[Run, ...]
    topology: Topology = Topology()
    faults: tuple[Fault, ...] = ()
    half: str = ""
    refused: str | None = None
    refusal: str = ""
    proves: tuple[str, ...] = ()
    data: bool = False
    checkpoint: bool = False
    resumed: int = 0
    alternatives: tuple[Alternative, ...] = ()
    no_compat: str = ""
    timeout: float = 180.0
    root: pathlib.Path = HERE

    @property
    def directory(self) -> pathlib.Path:
        return self.root / self.name

    @property
    def program(self) -> pathlib.Path:
        return self.directory / "tf1.py"

    @property
    def migrated(self) -> pathlib.Path:
        """The program that the tool is given."""
        return self.directory / self.half if self.half else self.program

    @property
    def migration(self) -> pathlib.Path:
        return self.directory / "tf2.py"

    @property
    def recorded(self) -> pathlib.Path:
        return self.directory / "recorded"

    def run(self, name: str) -> Run:
        """The run of that name.

        Raises:
          KeyError: there is none.
        """
        for run in self.runs:
            if run.name == name:
                return run
        raise KeyError(f"{self.name} has no run {name!r}")

    def topology_of(self, run: Run) -> Topology:
        return run.topology or self.topology


def check(scenario: Scenario) -> None:
    """Raises ValueError where a spec contradicts itself."""
    names = [run.name for run in scenario.runs]
    wrong = [
        f"run {n!r} twice" for n in sorted({n for n in names if names.count(n) > 1})
    ]
    for run in scenario.runs:
        if run.dtype not in DTYPES:
            wrong.append(f"{run.name}: dtype {run.dtype!r}")
        rules = [(run.tolerance, run.reason)]
        rules += [(rule.tolerance, rule.reason) for rule in run.looser]
        for tolerance, reason in rules:
            if not tolerance >= 0 or not reason:
                wrong.append(f"{run.name}: a tolerance without size or reason")
    wrong += [
        f"fault {f.name!r}: no run {f.run!r}"
        for f in scenario.faults
        if f.run not in names
    ]
    for alternative in scenario.alternatives:
        wrong += [
            f"{alternative.name}: no run {n!r}"
            for n in alternative.runs
            if n not in names
        ]
    if bool(scenario.refused) != bool(scenario.refusal):
        wrong.append("refused and refusal belong together")
    if wrong:
        raise ValueError(f"{scenario.name}: {'; '.join(wrong)}")
