"""Runs a scenario's program, of either TensorFlow, as processes; gives its trace."""

from __future__ import annotations

import dataclasses
import pathlib
import sys
from collections.abc import Mapping, Sequence

import numpy as np

from migrate import emitted
from migrate.beside import files as beside
from reference import checkpoints, data, processes
from reference.compare import Array
from reference.scenario import HERE, Order, Run, Scenario, Shape, Topology

Trace = dict[str, Array]

# oneDNN's kernels round otherwise than TF 1.15's; without it SGD is bit-equal.
ENVIRONMENT = {
    "TF_CPP_MIN_LOG_LEVEL": "2",
    "TF_ENABLE_ONEDNN_OPTS": "0",
    "CUDA_VISIBLE_DEVICES": "",
}
# Modules that `tf1to2` writes beside a program.
SUPPORT = tuple(sorted({emitted.find_module(name) for name in emitted.list_names()}))

# SyncReplicasOptimizer's own counter has no counterpart, nor a value to compare.
_NOT_COMPARED = frozenset({"sync_rep_local_step"})


class NoTrace(RuntimeError):
    """A worker ended well but did not write its trace."""


@dataclasses.dataclass(frozen=True)
class Interpreter:
    """The interpreter that executes a program.

    Attributes:
      python: the interpreter.
      tf1: whether the program is a TF1 program (gated by session hooks).
      before: scripts that run the program: they get its path and arguments.
      preloaded: whether its processes are forked from one that has TensorFlow imported.
    """

    python: str
    tf1: bool
    before: tuple[str, ...] = ()
    preloaded: bool = True


def tf2() -> Interpreter:
    """This interpreter, for migrated programs."""
    return Interpreter(sys.executable, tf1=False)


def compat() -> Interpreter:
    """This interpreter, for TF1 programs on tf.compat.v1."""
    return Interpreter(sys.executable, tf1=True, before=(str(HERE / "as_v1.py"),))


def genuine(python: str) -> Interpreter:
    """An interpreter that has TensorFlow 1.15.5."""
    return Interpreter(python, tf1=True)


def copied(
    program: pathlib.Path,
    directory: pathlib.Path,
    replaced: Mapping[str, tuple[str, str]] | None = None,
) -> pathlib.Path:
    """Copies a migrated program with the modules it imports; returns its new path.

    Args:
      replaced: file name -> (old, new): a text replaced everywhere in that file.

    Raises:
      ValueError: there is no such text.
    """
    directory.mkdir(parents=True, exist_ok=True)
    text = program.read_text()
    # A gate calls their hooks, too.
    programs = (text, (HERE / "gated.py").read_text())
    texts = {
        name: data.decode() for name, data in beside.collect_files(*programs).items()
    }
    texts[program.name] = text
    for file, (old, new) in (replaced or {}).items():
        if old not in texts.get(file, ""):
            raise ValueError(f"{file} has no text {old!r}")
        texts[file] = texts[file].replace(old, new)
    for file, text in texts.items():
        (directory / file).parent.mkdir(exist_ok=True)
        (directory / file).write_text(text)
    return directory / program.name


def train(
    scenario: Scenario,
    run: Run,
    interpreter: Interpreter,
    program: pathlib.Path,
    work: pathlib.Path,
    *,
    initial: Mapping[str, Array] | None = None,
    saved: Sequence[pathlib.Path] = (),
    steps: int | None = None,
    topology: Topology | None = None,
) -> Trace:
    """Runs `program` as the run says; what its workers traced, "<worker>/<name>".

    Args:
      work: a directory of this run alone; logs and checkpoints stay there.
      initial: the values a scenario with `checkpoint` starts from, by TF1's names.
      saved: the files of the checkpoint a `resumed` scenario goes on from.
      topology: the processes, where they are not the run's (an alternative).

    Raises:
      TasksFailed: a task failed or took too long; its output is in the message.
      NoTrace: a worker wrote none.
    """
    expected = scenario.topology_of(run)
    topology = topology or expected
    arguments = prepared(scenario, run, work, initial=initial, saved=saved, steps=steps)
    gate = gated_order(interpreter, topology)
    out = work / "out"
    _start(interpreter, program, arguments, out, topology, gate, scenario.timeout)
    trace = collected(out / "trace", expected.writers)
    return {**trace, **final_checkpoint(scenario, work, initial)}


def prepared(
    scenario: Scenario,
    run: Run,
    work: pathlib.Path,
    *,
    initial: Mapping[str, Array] | None = None,
    saved: Sequence[pathlib.Path] = (),
    steps: int | None = None,
) -> list[str]:
    """Makes `work/out` with what the programs read; their flags but for the cluster's.

    Args: see `train`.
    """
    out = work / "out"
    out.mkdir(parents=True)
    arguments = [
        f"--trace={out / 'trace'}",
        f"--dtype={run.dtype}",
        f"--train_steps={scenario.steps if steps is None else steps}",
        *run.arguments,
    ]
    if scenario.data:
        arguments.append(f"--data_dir={work / 'mnist'}")
        data.write_mnist(work / "mnist")
    if scenario.checkpoint:
        arguments.append(f"--checkpoint_dir={out / 'checkpoints'}")
        if initial is not None:
            checkpoints.write(out / "checkpoints", initial, 0)
    if scenario.resumed:
        arguments.append(f"--checkpoint_dir={out / 'checkpoints'}")
        if saved:
            checkpoints.copy(saved, out / "checkpoints")
    return arguments


def gated_order(interpreter: Interpreter, topology: Topology) -> Order:
    """Returns the order in which `gated.py` holds these workers, or FREE."""
    needed = interpreter.tf1 or topology.order is Order.TURNS
    return topology.order if needed else Order.FREE


def gate_environment(
    gate: Order, directory: pathlib.Path, workers: int, task: str, *, tf1: bool
) -> dict[str, str]:
    """Makes the environment variables that `gated.py` reads.

    Args:
      directory: for its marks; all workers of one order share it.
      task: the worker's index, "" for a task that only serves.
    """
    return {
        "GATE_DIR": str(directory),
        "GATE_WORKERS": str(workers),
        "GATE_TASK": task,
        "GATE_ORDER": gate.value,
        "GATE_HOOKS": "tf1" if tf1 else "training_session",
    }


def final_checkpoint(
    scenario: Scenario, work: pathlib.Path, initial: Mapping[str, Array] | None
) -> Trace:
    """The variables at the end, "checkpoint/<variable>", where they are compared."""
    if not scenario.checkpoint or initial is None:
        return {}
    return {
        f"checkpoint/{name}": np.asarray(value)[np.newaxis]
        for name, value in checkpoints.read(work / "out" / "checkpoints").items()
        if name in initial and name not in _NOT_COMPARED
    }


def _start(
    interpreter: Interpreter,
    program: pathlib.Path,
    arguments: Sequence[str],
    out: pathlib.Path,
    topology: Topology,
    gate: Order,
    timeout: float,
) -> None:
    gated: tuple[str, ...] = ()
    if gate is not Order.FREE:
        gated = (str(HERE / "gated.py"),)
        (out / "gate").mkdir()

    def environment(job: str, index: int, hosts: processes.Hosts) -> dict[str, str]:
        if gate is Order.FREE:
            return {}
        task = str(index) if job == "worker" else ""
        return gate_environment(
            gate, out / "gate", topology.workers, task, tf1=interpreter.tf1
        )

    def no_flags(job: str, index: int, hosts: processes.Hosts) -> list[str]:
        return []

    single = topology.shape is Shape.SINGLE
    processes.run_tasks(
        interpreter.python,
        [*interpreter.before, *gated, str(program)],
        arguments,
        out,
        ps=0 if single else topology.ps,
        workers=1 if single else topology.workers,
        client=topology.shape is Shape.CLIENT,
        environment=ENVIRONMENT,
        timeout=timeout,
        command_line=no_flags if single else processes.flag_arguments,
        task_environment=environment,
        preloaded=interpreter.preloaded,
    )


def collected(prefix: pathlib.Path, workers: int) -> Trace:
    """Reads `prefix.<worker>.npz` of every worker.

    Raises:
      NoTrace: a worker wrote none.
    """
    trace: Trace = {}
    for worker in range(workers):
        trace.update(traced(prefix, worker))
    return trace


def traced(prefix: pathlib.Path, worker: int) -> Trace:
    """Reads `prefix.<worker>.npz`; the names are "<worker>/<name>".

    Raises:
      NoTrace: the worker wrote none.
    """
    path = prefix.with_name(f"{prefix.name}.{worker}.npz")
    if not path.exists():
        raise NoTrace(f"worker {worker} wrote no {path.name}")
    with np.load(path) as archive:
        return {f"{worker}/{name}": archive[name] for name in archive.files}
