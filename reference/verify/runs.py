"""Runs a program in a copy of its own, watched, and gives its record."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
import sys
import time
from collections.abc import Callable, Sequence

from reference import processes, runner
from reference.verify import arguments as paths
from reference.verify import earlier, files, notebooks, workspace
from reference.verify.problems import CannotRun
from reference.verify.records import Record
from reference.verify.tasks import ALONE, Tasks

_HERE = pathlib.Path(__file__).parent
_LOST = re.compile("UnavailableError|already in use|Socket closed|bind")
LAUNCHER = _HERE / "watched" / "launcher.py"
SEED = 20101
# Beside what makes TensorFlow 2 round as 1.15 does.
ENVIRONMENT = {
    **runner.ENVIRONMENT,
    "TF_DETERMINISTIC_OPS": "1",
    "PYTHONHASHSEED": "0",
    "MPLBACKEND": "Agg",
}


@dataclasses.dataclass(frozen=True)
class Program:
    """A program to run, and its role.

    Attributes:
      name: of the runs' directories, and for messages ("the original").
      root: the directory that is copied.
      path: the program, below the root.
      python: the interpreter.
      side: "tf1", "compat" (TF1 code on TensorFlow 2's compat.v1), "graph" (TensorFlow
        2 code that runs graphs in sessions) or "tf2".
      original: of a migration, the directory of the original program.
      differing: directories in which the two have other checkpoints.
    """

    name: str
    root: pathlib.Path
    path: pathlib.Path
    python: str
    side: str
    original: pathlib.Path | None = None
    differing: Sequence[str] = ()


def _environment(program: Program) -> dict[str, str]:
    if program.side == "compat" and program.python == sys.executable:
        # From TensorFlow 2.16 on tf.compat.v1.layers is there with Keras 2 only.
        return {**ENVIRONMENT, "TF_USE_LEGACY_KERAS": "1"}
    return ENVIRONMENT


@dataclasses.dataclass(frozen=True)
class Limits:
    """The limits of time and size.

    Attributes:
      steps: updates after which a program is stopped.
      seconds: for one run.
      copied: bytes of a program's directory.
      kept: bytes of variables that a record may keep.
    """

    steps: int = 200
    seconds: float = 600.0
    copied: int = 1_000_000_000
    kept: int = 400_000_000


@dataclasses.dataclass
class Runs:
    """Runs programs below one directory.

    Attributes:
      work: everything is below it.
      arguments: the program's.
      data: what programs only read, and is not copied.
      preloaded: processes are forked from one that has TensorFlow imported (tests).
      say: is told how far a run is.
      tasks: which processes a program is.
      completed: modules that the migration imports and lacks; its runs have them.
    """

    work: pathlib.Path
    arguments: Sequence[str]
    limits: Limits = Limits()
    data: Sequence[pathlib.Path] = ()
    preloaded: bool = False
    say: Callable[[str], None] = lambda text: None
    tasks: Tasks = ALONE
    completed: list[str] = dataclasses.field(default_factory=list)

    def run(
        self,
        program: Program,
        name: str,
        *,
        makes_start: bool = False,
        ulps: int = 0,
        steps: int | None = None,
        probe: bool = False,
    ) -> Record:
        """Runs a program once.

        Args:
          name: of this run's directory.
          makes_start: its initial values are those of all other runs.
          ulps: the initial values are moved by so many representable numbers.
          steps: where they are fewer than the limit.
          probe: inputs and gradients are recorded, too.

        Raises:
          CannotRun: it failed, or took too long.
        """
        try:
            return self._once(program, name, makes_start, ulps, steps, probe)
        except CannotRun as error:
            # Another process may have taken a port before the program did.
            if self.tasks.alone or not _LOST.search(str(error)):
                raise
            again = f"{name}-again"
            return self._once(program, again, makes_start, ulps, steps, probe)

    def _once(
        self,
        program: Program,
        name: str,
        makes_start: bool,
        ulps: int,
        steps: int | None,
        probe: bool,
    ) -> Record:
        directory = self.work / name
        root = directory / "program"
        directory.mkdir(parents=True)
        workspace.copy_tree(program.root, root, self.limits.copied, self.data)
        if program.original is not None:
            earlier.replace(program.original, root, program.differing)
        path = root / program.path.relative_to(program.root)
        if path.suffix == ".ipynb":
            try:
                path = notebooks.as_program(path)
            except ValueError as error:
                raise CannotRun(str(error)) from error
        if program.side in ("graph", "tf2"):
            self.completed += workspace.complete(path)
        for part in ("out", "elsewhere", "tmp", "log", "gate"):
            (directory / part).mkdir()
        arguments = paths.inside(
            self.arguments, directory / "elsewhere", self.data, self.limits.copied
        )
        places = {"": root, "/": directory / "elsewhere"}
        there = {
            k: v for place in places.values() for k, v in files.look(place).items()
        }
        # It differs from run to run, and TensorFlow would be imported for each anew.
        own = {
            "VERIFY_ROOT": os.path.realpath(root),
            "VERIFY_CWD": os.path.realpath(path.parent),
            "VERIFY_START": str(self.work / "start"),
            "VERIFY_RUN": os.path.realpath(directory),
            "VERIFY_ELSEWHERE": str(directory / "elsewhere"),
            "VERIFY_SIDE": program.side,
            "VERIFY_MAKES_START": "1" if makes_start else "0",
            "VERIFY_ULPS": str(ulps),
            "VERIFY_STEPS": str(self.limits.steps if steps is None else steps),
            "VERIFY_BYTES": str(self.limits.kept),
            "VERIFY_PROBE": "1" if probe else "0",
            "VERIFY_SEED": str(SEED),
            "VERIFY_SUPPORT": ",".join(workspace.support_modules()),
            "VERIFY_PROJECT": str(_HERE.parents[1]),
            "VERIFY_ALONE": "1" if self.tasks.alone else "0",
            "VERIFY_GATE": str(directory / "gate"),
            "VERIFY_WORKERS": str(1 if self.tasks.client else self.tasks.workers),
            "TMPDIR": str(directory / "tmp"),
        }
        tasks = self.tasks
        trains = "client-0" if tasks.client else "worker-0"
        record = Record(directory / "out" / trains, directory / "log" / f"{trains}.log")

        def environment(job: str, index: int, hosts: processes.Hosts) -> dict[str, str]:
            task = {
                "VERIFY_OUT": str(directory / "out" / f"{job}-{index}"),
                "VERIFY_TASK": str(index) if job == "worker" else job,
            }
            return {**own, **task, **tasks.environment(job, index, hosts)}

        began = time.monotonic()
        shown = [began, 0.0]

        def look() -> bool:
            now = time.monotonic()
            if now - shown[1] > 2.0:
                shown[1] = now
                self.say(
                    f"{program.name}: {_steps(record)} steps, {now - shown[0]:.0f} s"
                )
            return False

        try:
            processes.run_tasks(
                program.python,
                [str(LAUNCHER), str(path)],
                arguments,
                directory / "log",
                ps=tasks.ps,
                workers=tasks.workers,
                client=tasks.client,
                environment=_environment(program),
                task_environment=environment,
                timeout=self.limits.seconds,
                command_line=tasks.arguments,
                preloaded=self.preloaded,
                enough=look,
            )
        except processes.TasksFailed as error:
            # Where one task has failed, the others are stopped, too.
            late = time.monotonic() - began >= self.limits.seconds
            raise CannotRun(self._why(program, record, late)) from error
        files.keep(directory, there, places)
        if record.end is None:
            raise CannotRun(
                f"{program.name} ended without a word.\n{record.last_lines()}"
            )
        return record

    def _why(self, program: Program, record: Record, late: bool) -> str:
        end = record.end
        if end is None and not late:
            return f"{program.name} failed.\n{record.last_lines()}"
        if end is None:
            return (
                f"{program.name} did not end within {self.limits.seconds:.0f} s "
                f"({_steps(record)} steps were made; --timeout and --steps bound it).\n"
                + (_ONE_PROCESS if self.tasks.alone and not _steps(record) else "")
                + record.last_lines()
            )
        why = f"{program.name} failed: {end.get('error', '')}"
        if end.get("network"):
            asked = ", ".join(sorted(set(end["network"])))
            why += f"\nIt wanted to reach {asked}; give it its data instead."
        if "was not defined in cluster" in why:
            why += f"\n{_NO_TASK}"
        return f"{why}\n{record.last_lines()}"


_ONE_PROCESS = (
    "It was started as one process. If it is one task of a cluster, say which flags choose "
    'the task: --flags "--job_name={job} --task_index={index} --ps_hosts={ps} '
    '--worker_hosts={workers}", with the names of its flags.\n'
)
_NO_TASK = (
    "No task was told to it. Where its hosts stand in the program, say which flags choose "
    'the task: --launch flags --flags "--job_name={job} --task_index={index}".'
)


def _steps(record: Record) -> int:
    path = record.directory / "events.jsonl"
    try:
        return path.read_bytes().count(b'"kind": "step"')
    except OSError:
        return 0
