"""Helps the story notebooks: they show a pair, run both programs, draw the losses.

Every task of a cluster is a process of its own on the loopback interface. It runs all
cells of its notebook and knows its place from TF_CONFIG alone, as on a real cluster.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import os
import pathlib
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence

import nbformat
import numpy as np

from migrate import emitted, notebook_diff
from reference import environment, oracle, processes, runner
from reference.notebooks import build
from reference.scenario import HERE, Order

Trace = dict[str, np.ndarray]
_RECORDED = build.NOTEBOOKS / "recorded"
# Set by the builder: what TensorFlow 1.15.5 gives is kept for machines without it.
RECORD = "TF1TO2_RECORD"


@dataclasses.dataclass(frozen=True)
class Cluster:
    """The tasks of a training.

    Attributes:
      ps: how many parameter servers.
      roles: what the other tasks are in TF_CONFIG, in order; of a kind numbered from 0.
    """

    ps: int
    roles: tuple[str, ...] = ("worker",)

    def tf_config(self, job: str, index: int, hosts: processes.Hosts) -> str:
        """TF_CONFIG of one task; an evaluator is no member of the cluster."""
        members: dict[str, list[str]] = {"ps": list(hosts.ps)} if self.ps else {}
        places = []
        for role, host in zip(self.roles, hosts.worker, strict=True):
            places.append((role, len(members.get(role, ()))))
            if role != "evaluator":
                members.setdefault(role, []).append(host)
        kind, number = ("ps", index) if job == "ps" else places[index]
        task = {"type": kind, "index": number}
        return json.dumps({"cluster": members, "task": task})

    def tasks(self) -> list[tuple[str, int]]:
        """Job and index of every task, as `tf_config` takes them."""
        return [("ps", i) for i in range(self.ps)] + [
            ("worker", i) for i in range(len(self.roles))
        ]


# -- what is shown ---------------------------------------------------------------------


def show(name: str) -> None:
    """Displays a notebook's cells, below one another."""
    from IPython.display import Markdown, display

    read = nbformat.read(build.NOTEBOOKS / f"{name}.ipynb", as_version=4)
    parts = [
        f"```python\n{cell.source}\n```" if cell.cell_type == "code" else cell.source
        for cell in read.cells
    ]
    # Its title is no heading of this one.
    title, _, rest = parts[0].removeprefix("# ").partition("\n")
    display(Markdown("\n\n".join([f"**{title}**\n{rest}", *parts[1:]])))


def show_changes(name: str) -> None:
    """Displays what `tf1to2 migrate NAME_tf1.ipynb --diff` tells of the notebook."""
    from IPython.display import Markdown, display

    old = (build.NOTEBOOKS / f"{name}_tf1.ipynb").read_bytes()
    result = build.migrated(name, old)
    lines = notebook_diff.make_unified_diff(
        old, result.new, f"{name}_tf1.ipynb".encode()
    )
    display(Markdown(f"```diff\n{b''.join(lines).decode()}```"))
    print("written beside it:", ", ".join(emitted.name_for_reader(result.support)))


def show_tasks(cluster: Cluster) -> None:
    """Prints the environment of every task, with ports as an administrator gives them."""
    addresses = iter(f"localhost:{port}" for port in range(2222, 2300))
    hosts = processes.Hosts(
        tuple(next(addresses) for _ in range(cluster.ps)),
        tuple(next(addresses) for _ in cluster.roles),
    )
    for job, index in cluster.tasks():
        print(f"TF_CONFIG='{cluster.tf_config(job, index, hosts)}'")


# -- both runs -------------------------------------------------------------------------


def said() -> str:
    """Names the TensorFlow 1 that the notebook compares with."""
    if environment.find_tf1() is not None:
        return "TensorFlow 1.15.5, run here and now"
    return "a recorded run of TensorFlow 1.15.5 (no Python 3.7 was found here)"


def tf1(
    name: str,
    cluster: Cluster,
    steps: int,
    *,
    order: Order = Order.FREE,
    checkpoints: pathlib.Path | None = None,
) -> Trace:
    """Trains NAME_tf1.ipynb on genuine TensorFlow 1.15.5, live or as recorded.

    Args:
      cluster: its tasks.
      steps: the global step to train to.
      order: how workers are kept in an order, so that steps can be compared.
      checkpoints: the directory of checkpoints, empty or not.

    Raises:
      LookupError: there is no TensorFlow 1 here, and the recording is of another program.
    """
    python = environment.find_tf1()
    if python is None:
        return _recorded(name, steps, checkpoints)
    trace = _train(
        f"{name}_tf1", str(python), cluster, steps, order, checkpoints, tf1=True
    )
    if os.environ.get(RECORD):
        _record(name, steps, trace, checkpoints)
    return trace


def tf2(
    name: str,
    cluster: Cluster,
    steps: int,
    *,
    order: Order = Order.FREE,
    checkpoints: pathlib.Path | None = None,
) -> Trace:
    """Trains NAME_tf2.ipynb on this TensorFlow; see `tf1`."""
    return _train(
        f"{name}_tf2", sys.executable, cluster, steps, order, checkpoints, tf1=False
    )


@functools.cache
def _directory() -> pathlib.Path:
    """Makes a directory for this kernel's runs."""
    keeper = tempfile.TemporaryDirectory(prefix="tf1to2-notebook-")
    _KEPT.append(keeper)
    return pathlib.Path(keeper.name)


_KEPT: list[tempfile.TemporaryDirectory[str]] = []


def empty(name: str) -> pathlib.Path:
    """A new directory for checkpoints."""
    directory = _directory() / name
    directory.mkdir()
    return directory


def copied(directory: pathlib.Path, name: str) -> pathlib.Path:
    """A copy of a directory of checkpoints."""
    target = _directory() / name
    shutil.copytree(directory, target)
    # TensorFlow writes the place of the files into the index of checkpoints.
    index = target / "checkpoint"
    index.write_text(index.read_text().replace(str(directory), str(target)))
    return target


def _train(
    notebook: str,
    python: str,
    cluster: Cluster,
    steps: int,
    order: Order,
    checkpoints: pathlib.Path | None,
    *,
    tf1: bool,
) -> Trace:
    work = pathlib.Path(tempfile.mkdtemp(dir=_directory(), prefix=notebook))
    for path in (
        HERE / "notebooks" / "cells.py",
        build.NOTEBOOKS / f"{notebook}.ipynb",
    ):
        shutil.copy(path, work)
    source = (work / f"{notebook}.ipynb").read_text()
    for module in runner.SUPPORT:
        if f"import {module}" in source or module == "training_session":
            emitted.write(emitted.list_files(module), work)
    workers = len(cluster.roles)
    gated: Sequence[str] = ()
    if order is not Order.FREE and (tf1 or order is Order.TURNS):
        gated = (str(HERE / "gated.py"),)
        (work / "gate").mkdir()

    def of_task(job: str, index: int, hosts: processes.Hosts) -> Mapping[str, str]:
        told = {
            "TF_CONFIG": cluster.tf_config(job, index, hosts),
            "TRAIN_STEPS": str(steps),
            "TRACE": str(work / "trace"),
            "CHECKPOINTS": str(checkpoints or work / "checkpoints"),
        }
        if gated:
            task = str(index) if job == "worker" else ""
            told |= runner.gate_environment(
                order, work / "gate", workers, task, tf1=tf1
            )
        return told

    processes.run_tasks(
        python,
        [*gated, str(work / "cells.py"), str(work / f"{notebook}.ipynb")],
        [],
        work / "logs",
        ps=cluster.ps,
        workers=workers,
        environment=runner.ENVIRONMENT,
        command_line=lambda job, index, hosts: [],
        task_environment=of_task,
        timeout=300,
        preloaded=True,
    )
    trace: Trace = {}
    for path in sorted(work.glob("trace-*.npz")):
        number = path.stem.removeprefix("trace-")
        with np.load(path) as archive:
            trace |= {f"{number}/{key}": archive[key] for key in archive.files}
    return trace


# -- recordings ------------------------------------------------------------------------


def _place(name: str, steps: int) -> pathlib.Path:
    return _RECORDED / f"{name}-{steps}"


def _digest(name: str) -> str:
    """Returns the digest of the program whose run is recorded."""
    return hashlib.sha256(build.source(f"{name}_tf1").read_bytes()).hexdigest()


def _record(
    name: str, steps: int, trace: Trace, checkpoints: pathlib.Path | None
) -> None:
    place = _place(name, steps)
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    np.savez(place / "trace.npz", **{k.replace("/", "."): v for k, v in trace.items()})
    provenance = {
        "tensorflow": environment.TF1.version,
        "processor": oracle.processor(),
        "program": _digest(name),
    }
    (place / "provenance.json").write_text(json.dumps(provenance, indent=1) + "\n")
    if checkpoints is not None:
        latest = (checkpoints / "checkpoint").read_text().split('"')[1]
        for path in sorted(checkpoints.glob(f"{pathlib.Path(latest).name}.*")):
            if path.suffix != ".meta":
                shutil.copy(path, place)


def _recorded_here() -> bool:
    """Whether all recordings are of this kind of processor."""
    return all(
        json.loads(path.read_text())["processor"] == oracle.processor()
        for path in _RECORDED.glob("*/provenance.json")
    )


def _recorded(name: str, steps: int, checkpoints: pathlib.Path | None) -> Trace:
    place = _place(name, steps)
    if json.loads((place / "provenance.json").read_text())["program"] != _digest(name):
        raise LookupError(f"{name}_tf1 has changed since its run was recorded")
    if checkpoints is not None:
        for path in place.glob("model.ckpt-*"):
            shutil.copy(path, checkpoints)
            prefix = path.name.partition(".data")[0].removesuffix(".index")
            index = f'model_checkpoint_path: "{checkpoints / prefix}"\n'
            (checkpoints / "checkpoint").write_text(index)
    with np.load(place / "trace.npz") as archive:
        return {key.replace(".", "/", 1): archive[key] for key in archive.files}


# -- what is compared ------------------------------------------------------------------


def compare(expected: Trace, found: Trace, allowed: float) -> None:
    """Prints, array by array, the largest difference; more than is allowed is an error.

    Where the recording is of another processor, which adds in another order, more is
    allowed: see `oracle.ELSEWHERE`.

    Raises:
      AssertionError: arrays are missing, of other lengths, or differ by more.
    """
    if environment.find_tf1() is None and not _recorded_here():
        allowed = max(allowed, oracle.ELSEWHERE["float32"])
    assert expected.keys() == found.keys(), (expected.keys(), found.keys())
    print(f"{'array':12}{'values':>8}{'first':>10}{'last':>10}  largest difference")
    for key, values in expected.items():
        others = found[key]
        assert values.shape == others.shape, (key, values.shape, others.shape)
        difference = float(np.max(np.abs(values - others)))
        assert difference <= allowed, (key, difference)
        told = "none: equal bits" if not difference else f"at most {allowed:g}"
        print(f"{key:12}{len(values):8}{values[0]:10.4f}{values[-1]:10.4f}  {told}")


def plot(expected: Trace, found: Trace, title: str, logarithmic: bool = True) -> None:
    """Draws both runs' values, and below them what the one is more than the other."""
    from matplotlib import pyplot

    figure, (above, below) = pyplot.subplots(
        2, 1, figsize=(8, 5), sharex=True, gridspec_kw={"height_ratios": [3, 2]}
    )
    for number, key in enumerate(expected):
        color = f"C{number}"
        # The one that should be hidden is drawn first and wider.
        above.plot(
            expected[key],
            color=color,
            alpha=0.4,
            linewidth=5,
            label=f"{key}, TensorFlow 1",
        )
        above.plot(found[key], color=color, linewidth=1, label=f"{key}, migrated")
        below.plot(found[key] - expected[key], color=color, linewidth=1)
    if logarithmic:
        above.set_yscale("log")
    above.legend(fontsize="small")
    above.set_ylabel("loss")
    above.set_title(title)
    below.axhline(0, color="grey", linewidth=0.5)
    below.set_ylabel("migrated minus TF1")
    below.set_xlabel("step of the worker")
    figure.tight_layout()
    pyplot.show()


def plot_losses(traces: Mapping[str, Trace], title: str) -> None:
    """Draws runs that cannot be compared step by step, smoothed, in one picture."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 3))
    for number, (label, trace) in enumerate(traces.items()):
        for key, values in trace.items():
            width = max(1, len(values) // 20)
            smooth = np.convolve(values, np.ones(width) / width, "valid")
            axes.plot(
                smooth,
                color=f"C{number}",
                linewidth=1,
                label=label if key == next(iter(trace)) else None,
            )
    axes.set_yscale("log")
    axes.set_ylabel("loss")
    axes.set_xlabel("step of the worker")
    axes.set_title(title)
    axes.legend(fontsize="small")
    figure.tight_layout()
    pyplot.show()
