"""What a reference scenario is: a TF1 program, how it is run, what must agree."""

from __future__ import annotations

import dataclasses
import pathlib

HERE = pathlib.Path(__file__).parent


@dataclasses.dataclass(frozen=True)
class Run:
    """One training of a scenario's program.

    Attributes:
      name: unique within the scenario.
      arguments: command-line flags beside those of the cluster and the directories.
      tolerance: largest absolute difference of a loss or a weight.
      reason: why it is not smaller.
    """

    name: str
    arguments: tuple[str, ...]
    tolerance: float
    reason: str


@dataclasses.dataclass(frozen=True)
class Scenario:
    """One directory `reference/<name>` with tf1.py, tf2.py, spec.py and recorded traces.

    Attributes:
      name: the directory's name.
      steps: global steps to train.
      workers: worker tasks; beside them there is one parameter server.
      runs: what is recorded.
      root: the directory that holds the scenarios.
    """

    name: str
    steps: int
    workers: int
    runs: tuple[Run, ...]
    root: pathlib.Path = HERE

    @property
    def directory(self) -> pathlib.Path:
        return self.root / self.name

    @property
    def program(self) -> pathlib.Path:
        return self.directory / "tf1.py"

    @property
    def recorded(self) -> pathlib.Path:
        return self.directory / "recorded"
