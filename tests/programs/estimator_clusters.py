"""Estimator programs as the tasks of a TF_CONFIG cluster, and what TensorFlow 1.15.5 found.

`python -m tests.programs.estimator_clusters` runs them under TensorFlow 1.15.5, a chief, a
worker and a parameter server, and records that (three minutes).
"""

from __future__ import annotations

import hashlib
import json
import pathlib
import tempfile
from collections.abc import Mapping, Sequence

import numpy as np

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate import emitted
from reference import processes, runner
from reference.compare import Array
from reference.environment import find_tf1

HERE = pathlib.Path(__file__).parent / "estimator_clusters"
_RECORDED = HERE / "recorded.json"
# And how many parameter servers each has.
PROGRAMS = {
    "sync_workers": 1,
    "taken_in_turn": 1,
    "server_strategies": 1,
    "collective_strategies": 0,
}


def migrated(name: str, directory: pathlib.Path) -> pathlib.Path:
    """The migration of a program, with what it needs, in a new directory."""
    source = HERE / f"{name}.py"
    migration = migrate_text(source.read_text(), filename=source.name)
    loud = (Outcome.REFUSED, Outcome.FAILED)
    assert not [f for f in migration.findings if f.outcome in loud]
    directory.mkdir(parents=True)
    emitted.write(migration.support, directory)
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
      chief: what TF_CONFIG calls it; a "master" evaluates what it saves.
    """
    work.mkdir(parents=True)

    def environment(job: str, index: int, hosts: processes.Hosts) -> Mapping[str, str]:
        cluster = {
            chief: [hosts.worker[0]],
            "worker": list(hosts.worker[1:]),
            **({"ps": list(hosts.ps)} if ps else {}),
        }
        task = {"type": job, "index": index}
        if job == "worker":
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
    return hashlib.sha256((HERE / f"{name}.py").read_bytes()).hexdigest()


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
    found = {}
    for name, ps in PROGRAMS.items():
        with tempfile.TemporaryDirectory() as temporary:
            losses = run(
                str(python),
                HERE / f"{name}.py",
                pathlib.Path(temporary) / "work",
                ps=ps,
                preloaded=False,
            )
        found[name] = {
            "digest": _digest(name),
            "losses": {key: value.tolist() for key, value in losses.items()},
        }
    _RECORDED.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
