"""Programs with sessions that have hooks of their own, and what TensorFlow 1.15.5 told of them.

`python -m tests.programs.hook_programs PYTHON3.7 [NAME...]` records it in
`tests/programs/hooks/tf1.json`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import pathlib
import sys
import tempfile
from collections.abc import Callable

from reference import processes

HERE = pathlib.Path(__file__).parent / "hooks"
RECORDED = HERE / "tf1.json"
ENVIRONMENT = {
    "TF_CPP_MIN_LOG_LEVEL": "2",
    "TF_ENABLE_ONEDNN_OPTS": "0",
    "CUDA_VISIBLE_DEVICES": "",
}


@dataclasses.dataclass(frozen=True)
class Case:
    """One way to run a program.

    Attributes:
      program: its file.
      ps, workers: its tasks; ps is 0 where it trains alone.
      flags: what it is given beside.
      times: how often it is run, in one directory.
    """

    name: str
    program: str
    ps: int = 0
    workers: int = 1
    flags: tuple[str, ...] = ()
    times: int = 1

    @property
    def path(self) -> pathlib.Path:
        return HERE / f"{self.program}.py"

    def run(
        self,
        python: str,
        program: pathlib.Path,
        out: pathlib.Path,
        enough: Callable[[], bool] = lambda: False,
    ) -> list[list[str]]:
        """What each worker tells; `enough`: see `processes.run_tasks`."""

        def arguments(job: str, index: int, hosts: processes.Hosts) -> list[str]:
            own = processes.flag_arguments(job, index, hosts) if self.ps else []
            return [*own, f"--dir={out}", *self.flags]

        for _ in range(self.times):
            processes.run_tasks(
                python,
                program,
                [],
                out,
                ps=self.ps,
                workers=self.workers,
                environment=ENVIRONMENT,
                timeout=300.0,
                command_line=arguments,
                enough=enough,
            )
        return self.told(out)

    def told(self, out: pathlib.Path) -> list[list[str]]:
        """The lines of each worker."""
        files = [out / f"told.{index}" for index in range(self.workers)]
        return [file.read_text().splitlines() for file in files]


CASES = {
    case.name: case
    for case in (
        Case("logger", "logger"),
        Case("named", "named"),
        Case("stopping", "stopping"),
        Case("rates", "rates", times=2),
        Case("workers", "workers", ps=1),
        Case("workers_together", "workers", ps=1, workers=2, flags=("--sync",)),
    )
}


def digest(case: Case) -> str:
    return hashlib.sha256(case.path.read_bytes()).hexdigest()


def recorded(case: Case) -> list[list[str]]:
    """What TensorFlow 1.15.5 told.

    Raises:
      ValueError: the program has changed since.
    """
    row = json.loads(RECORDED.read_text())[case.name]
    if row["digest"] != digest(case):
        raise ValueError(f"{case.name}: record it again, see {__name__}")
    told: list[list[str]] = row["told"]
    return told


def live(case: Case, python: str, out: pathlib.Path) -> list[list[str]]:
    """What it tells under TensorFlow 1.

    Its workers may fail when the chief has ended; those that keep pace may have told all,
    and never close their sessions.
    """
    with contextlib.suppress(processes.TasksFailed):
        return case.run(python, case.path, out, lambda: _is_told(case, out))
    return case.told(out)


def _is_told(case: Case, out: pathlib.Path) -> bool:
    """Whether each worker of a cluster has told its last step a second time, at the end."""
    files = [out / f"told.{index}" for index in range(case.workers)]
    if not case.ps or not all(file.exists() for file in files):
        return False
    steps = [[line.split()[0] for line in lines] for lines in case.told(out)]
    return all(len(s) > 1 and s[-1] == s[-2] for s in steps)


def record(python: str, only: list[str]) -> None:
    rows = json.loads(RECORDED.read_text()) if only else {}
    for case in CASES.values():
        if not only or case.name in only:
            with tempfile.TemporaryDirectory() as directory:
                told = live(case, python, pathlib.Path(directory))
            rows[case.name] = {
                "tensorflow": "1.15.5",
                "digest": digest(case),
                "told": told,
            }
    RECORDED.write_text(json.dumps(dict(sorted(rows.items())), indent=1) + "\n")


if __name__ == "__main__":
    record(sys.argv[1], sys.argv[2:])
