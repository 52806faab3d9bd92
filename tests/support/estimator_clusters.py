"""Runs a migrated Estimator program as the tasks of a TF_CONFIG cluster on loopback."""

from __future__ import annotations

import json
import pathlib
import sys
from collections.abc import Mapping, Sequence

import numpy as np

from reference import checkpoints, oracle, processes, runner
from reference.compare import Array
from reference.registry import SCENARIOS
from reference.scenario import Scenario

PROGRAM = SCENARIOS["estimator_train_and_evaluate"]


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
    python: str = sys.executable,
    timeout: float = 240.0,
) -> dict[str, Array]:
    """What the chief traced; of the checkpoint, "checkpoint/<variable>".

    Args:
      work: a new directory; the Estimator's model_dir is `work/model`.
      optimizer: a float32 run of the scenario, whose initial values are taken.
      steps: how many, if not the scenario's.
      workers: the chief and the workers.
      fault: (old, new), replaced in `file`.
      evaluator: whether one more task evaluates the checkpoints.
    """
    work.mkdir(parents=True, exist_ok=True)
    replaced = {} if fault is None else {file: fault}
    program = runner.copied(scenario.migration, work / "program", replaced)
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
            f"--checkpoint_dir={work / 'model'}",
            f"--train_steps={steps or scenario.steps}",
            f"--optimizer={optimizer}",
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
    for name, value in checkpoints.read(work / "model").items():
        found[f"checkpoint/{name}"] = np.asarray(value)
    return found
