"""The suite's TensorFlow 1 programs: how each is started for its genuine graph to be recorded."""

from __future__ import annotations

import dataclasses
import json
import pathlib

from reference import data, processes
from reference.genuine.record import Started
from reference.registry import SCENARIOS
from reference.scenario import HERE, Scenario, Shape

ROOT = HERE.parent
_SECONDS = 40.0
# The files of a scenario that TensorFlow 1 reads.
_ALONE, _CLUSTERED = "tests/programs/alone", "tests/programs/clustered"
_NO_PROGRAMS = ("__init__.py", "run_all.py")
_STEPS = 3


@dataclasses.dataclass(frozen=True)
class Program:
    """One program.

    Attributes:
      group: "alone", "clustered" or "scenarios".
      name: its own in the group.
      root: the directory of its files, and of what it imports.
      path: of the program, below it.
    """

    group: str
    name: str
    root: pathlib.Path
    path: str

    @property
    def key(self) -> str:
        return f"{self.group}/{self.name}"

    def text(self) -> bytes:
        return (self.root / self.path).read_bytes()


def programs() -> list[Program]:
    """All of them, in one order."""
    found: list[Program] = []
    for group, directory in (("alone", _ALONE), ("clustered", _CLUSTERED)):
        for file in sorted((ROOT / directory).glob("*.py")):
            if file.name not in _NO_PROGRAMS:
                found.append(Program(group, file.stem, file.parent, file.name))
    for name in sorted(SCENARIOS):
        if (HERE / name / "tf1.py").exists():
            found.append(Program("scenarios", name, HERE / name, "tf1.py"))
    return found


def started(program: Program) -> Started:
    """Returns the settings that start a program: alone, or as worker 0."""
    arguments: tuple[str, ...] = ("--dir={out}",)
    if program.group == "alone":
        return Started(program.root, program.path, arguments, seconds=_SECONDS)
    scenario = SCENARIOS.get(program.name) if program.group == "scenarios" else None
    if scenario is not None:
        arguments = _arguments(scenario)
    if scenario is not None and scenario.topology.shape is not Shape.BETWEEN_GRAPH:
        hosts = None
    else:
        hosts = processes.Hosts.on_loopback(2, 1)
        arguments = (*processes.flag_arguments("worker", 0, hosts), *arguments)
    environment = {"DIR": "{out}"}
    if hosts is not None:
        cluster = {"ps": list(hosts.ps), "worker": list(hosts.worker)}
        task = {"type": "worker", "index": 0}
        if b"TF_CONFIG" in program.text():
            environment["TF_CONFIG"] = json.dumps({"cluster": cluster, "task": task})
            arguments = arguments if scenario is not None else ()
    return Started(
        program.root,
        program.path,
        arguments,
        cluster=hosts,
        environment=environment,
        prepare=_write_data if "data_dir" in program.text().decode() else None,
        seconds=_SECONDS,
    )


def _arguments(scenario: Scenario) -> tuple[str, ...]:
    """The flags of a scenario's first run."""
    run = scenario.runs[0]
    found = ["--trace={out}/trace", f"--dtype={run.dtype}", f"--train_steps={_STEPS}"]
    if scenario.data:
        found.append("--data_dir={out}/mnist")
    if scenario.checkpoint or scenario.resumed:
        found.append("--checkpoint_dir={out}/checkpoints")
    return (*found, *run.arguments)


def _write_data(out: pathlib.Path) -> None:
    data.write_mnist(out / "mnist")
