"""Runs a migrated Estimator program as the tasks of a TF_CONFIG cluster on loopback."""

from __future__ import annotations

import json
import pathlib
import sys
from collections.abc import Mapping, Sequence

import numpy as np

from migrate.compiler import migrate_text
from reference import checkpoints, oracle, processes, runner
from reference.compare import Array
from reference.registry import SCENARIOS
from reference.scenario import Scenario

PROGRAM = SCENARIOS["estimator_train_and_evaluate"]


def faithful(scenario: Scenario) -> pathlib.Path:
    """A scenario's migration where Estimators stay what trains."""
    for alternative in scenario.alternatives:
        if alternative.estimators == "estimator":
            return scenario.directory / alternative.program
    return scenario.migration


def with_model_fn(directory: pathlib.Path) -> pathlib.Path:
    """The scenario's migration where its model_fn stays one: Python draws in it."""
    text = PROGRAM.program.read_text()
    first = '  x = features["x"]\n'
    assert text.count(first) == 1
    migration = migrate_text(text.replace(first, f"{first}  np.random.rand()\n"))
    assert "def model_fn(" in migration.text and "tf_keras" not in migration.text
    path = directory / "by_model_fn.py"
    path.write_text(migration.text)
    return path


def run(
    work: pathlib.Path,
    *,
    ps: int,
    workers: int,
    evaluator: bool = False,
    optimizer: str = "sgd",
    arguments: Sequence[str] = (),
    fault: tuple[str, str] | None = None,
    file: str = "estimator_loop/steps.py",
    steps: int | None = None,
    scenario: Scenario = PROGRAM,
    program: pathlib.Path | None = None,
    python: str = sys.executable,
    timeout: float = 240.0,
) -> dict[str, Array]:
    """Runs a cluster and returns the chief's trace, and "checkpoint/<variable>".

    Args:
      work: a new directory; the Estimator's model_dir is `work/model`.
      optimizer: a float32 run of the scenario, whose initial values are taken.
      steps: how many, if not the scenario's.
      workers: the chief and the workers.
      program: what is run, if not the scenario's migration with Estimators.
      fault: (old, new), replaced in `file`.
      evaluator: whether one more task evaluates the checkpoints.
    """
    work.mkdir(parents=True, exist_ok=True)
    replaced = {} if fault is None else {file: fault}
    program = runner.copied(program or faithful(scenario), work / "program", replaced)
    if scenario.checkpoint:  # Else the program draws with seeds of its own.
        initial = oracle.recorded(scenario, scenario.run(optimizer)).initial
        checkpoints.write(work / "model", initial, 0)

    def task(job: str, index: int) -> dict[str, str | int]:
        if job == "ps":
            return {"type": "ps", "index": index}
        if index == workers:
            return {"type": "evaluator", "index": 0}
        return {"type": "worker" if index else "chief", "index": max(index - 1, 0)}

    def config(job: str, index: int, hosts: processes.Hosts) -> Mapping[str, str]:
        cluster = {
            "chief": [hosts.worker[0]],
            "worker": list(hosts.worker[1:workers]),
            "ps": list(hosts.ps),
        }
        cluster = {name: addresses for name, addresses in cluster.items() if addresses}
        return {"TF_CONFIG": json.dumps({"cluster": cluster, "task": task(job, index)})}

    def command_line(job: str, index: int, hosts: processes.Hosts) -> list[str]:
        kind = task(job, index)["type"]
        return [f"--trace={work / str(kind)}"] if kind in ("chief", "evaluator") else []

    processes.run_tasks(
        python,
        [str(program)],
        [
            *([f"--checkpoint_dir={work / 'model'}"] if scenario.checkpoint else []),
            f"--train_steps={steps or scenario.steps}",
            *scenario.run(optimizer).arguments,
            *arguments,
        ],
        work,
        ps=ps,
        workers=workers + evaluator,
        environment=runner.ENVIRONMENT,
        timeout=timeout,
        command_line=command_line,
        task_environment=config,
        preloaded=python == sys.executable,
    )
    found: dict[str, Array] = {}
    for kind in ("chief", "evaluator"):
        path = work / f"{kind}.0.npz"
        if path.exists():
            with np.load(path) as archive:
                found.update({f"{kind}/{k}": archive[k] for k in archive.files})
    saved = checkpoints.read(work / "model") if scenario.checkpoint else {}
    for name, value in saved.items():
        found[f"checkpoint/{name}"] = np.asarray(value)
    return found
