"""Estimator programs as the tasks of a TF_CONFIG cluster, and what TensorFlow 1.15.5 found.

`python -m tests.programs.estimator_clusters [NAME...]` runs them under TensorFlow 1.15.5, a
chief, a worker and a parameter server, and records that (four minutes for all).
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import pathlib
import sys
import tempfile
from collections.abc import Mapping, Sequence

import numpy as np

from migrate.beside import files as beside
from migrate.compiler import migrate_text
from migrate.findings import Outcome
from reference import processes, runner
from reference.compare import Array
from reference.environment import find_tf1
from tests.programs.variants import FAITHFUL

HERE = pathlib.Path(__file__).parent / "estimator_clusters"
_RECORDED = HERE / "recorded.json"


@dataclasses.dataclass(frozen=True)
class Run:
    """A program with so many parameter servers and such arguments."""

    program: str
    ps: int = 1
    arguments: tuple[str, ...] = ()


RUNS = {
    "sync_workers": Run("sync_workers"),
    "taken_in_turn": Run("taken_in_turn"),
    "parts_in_turn": Run("taken_in_turn", 1, ("--model=parts",)),
    "server_strategies": Run("server_strategies"),
    "collective_strategies": Run("collective_strategies", ps=0),
    "own_shards": Run("own_shards", ps=0),
    "keras_servers": Run("keras_workers", 1, ("--strategy=servers",)),
    "keras_workers": Run("keras_workers", 0, ("--strategy=workers",)),
    "looked_up_servers": Run("looked_up", 1, ("--strategy=servers",)),
    "looked_up_workers": Run("looked_up", 0, ("--strategy=workers",)),
}


def migrated(name: str, directory: pathlib.Path) -> pathlib.Path:
    """The migration of a program, with what it needs, in a new directory."""
    source = HERE / f"{name}.py"
    migration = migrate_text(source.read_text(), FAITHFUL, filename=source.name)
    loud = (Outcome.REFUSED, Outcome.FAILED)
    assert not [f for f in migration.findings if f.outcome in loud]
    directory.mkdir(parents=True, exist_ok=True)
    beside.write(directory, migration.text)
    program = directory / source.name
    program.write_text(migration.text)
    return program


def run(
    python: str,
    program: pathlib.Path,
    work: pathlib.Path,
    *,
    arguments: Sequence[str] = (),
    ps: int = 1,
    chief: str = "chief",
    preloaded: bool = True,
) -> dict[str, Array]:
    """Losses by worker (`losses-0.npy`) or of all in their order (`losses`).

    Args:
      chief: what TF_CONFIG calls it; a "master" evaluates what it saves, and "worker" is
        a cluster without one.
    """
    work.mkdir(parents=True, exist_ok=True)

    def environment(job: str, index: int, hosts: processes.Hosts) -> Mapping[str, str]:
        cluster = {
            chief: [hosts.worker[0]],
            "worker": list(hosts.worker if chief == "worker" else hosts.worker[1:]),
            **({"ps": list(hosts.ps)} if ps else {}),
        }
        task = {"type": job, "index": index}
        if job == "worker" and chief != "worker":
            task = {"type": "worker" if index else chief, "index": 0}
        return {"TF_CONFIG": json.dumps({"cluster": cluster, "task": task})}

    processes.run_tasks(
        python,
        program,
        [],
        work,
        ps=ps,
        workers=2,
        environment=runner.ENVIRONMENT,
        timeout=400,
        command_line=lambda *task: [f"--dir={work}", *arguments],
        task_environment=environment,
        preloaded=preloaded,
    )
    found = {path.stem: np.load(path) for path in sorted(work.glob("losses-*.npy"))}
    if (work / "losses").exists():
        found["losses"] = np.array((work / "losses").read_text().split(), float)
    return found


def _digest(name: str) -> str:
    program = HERE / f"{RUNS[name].program}.py"
    return hashlib.sha256(program.read_bytes()).hexdigest()


def recorded(name: str) -> dict[str, Array]:
    """What TensorFlow 1.15.5 found.

    Raises:
      ValueError: the program has changed since.
    """
    found = json.loads(_RECORDED.read_text())[name]
    if found["digest"] != _digest(name):
        raise ValueError(f"{name} has changed since it was recorded; see {__name__}")
    return {key: np.array(value) for key, value in found["losses"].items()}


def main() -> None:
    python = find_tf1()
    if python is None:
        raise SystemExit("no Python 3.7 with TensorFlow 1.15.5 on this machine")
    found = json.loads(_RECORDED.read_text())
    for name in sys.argv[1:] or RUNS:
        which = RUNS[name]
        with tempfile.TemporaryDirectory() as temporary:
            losses = run(
                str(python),
                HERE / f"{which.program}.py",
                pathlib.Path(temporary) / "work",
                arguments=which.arguments,
                ps=which.ps,
                preloaded=False,
            )
        found[name] = {
            "digest": _digest(name),
            "losses": {key: value.tolist() for key, value in losses.items()},
        }
    _RECORDED.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
