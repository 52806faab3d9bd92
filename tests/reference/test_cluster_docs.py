"""docs/clusters.md: its blocks are read, and run as far as one machine goes."""

from __future__ import annotations

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

import pytest
import yaml

from reference import tf_config
from reference.__main__ import main
from reference.registry import SCENARIOS

PAGE = (pathlib.Path(__file__).parents[2] / "docs" / "clusters.md").read_text()
SLURM = {"SLURM_STEP_NODELIST": "n[1-3]", "SLURM_STEP_TASKS_PER_NODE": "1(x3)"}


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def _check_command(command: list[str], task: tf_config.Task) -> None:
    """The command line is one that this version takes, for a cluster of this size."""
    assert command[:4] == ["python", "-m", "reference", "run"]
    context = main.commands["run"].make_context("run", command[4:])
    scenario = SCENARIOS[context.params["name"]]
    run = scenario.run(context.params["only"][0])
    assert context.params["cluster"] == "TF_CONFIG"
    tf_config.check(task, scenario.topology_of(run))


def test_tf_config() -> None:
    plain, with_chief = map(tf_config.parse, _blocks("json"))
    assert plain.is_chief and with_chief.is_chief
    assert plain.hosts == with_chief.hosts
    command = next(
        line.strip() for line in PAGE.splitlines() if line.startswith("    python -m")
    )
    _check_command(shlex.split(command), plain)


def test_the_tfjob() -> None:
    (text,) = _blocks("yaml")
    job = yaml.safe_load(text)
    assert (job["apiVersion"], job["kind"]) == ("kubeflow.org/v1", "TFJob")
    # A DNS label: it becomes part of host names.
    assert re.fullmatch(r"[a-z]([-a-z0-9]*[a-z0-9])?", job["metadata"]["name"])
    assert job["spec"]["runPolicy"]["cleanPodPolicy"] in ("All", "Running", "None")
    replicas = job["spec"]["tfReplicaSpecs"]
    # What the operator makes of it.
    cluster = {
        kind.lower(): [
            f"{job['metadata']['name']}-{kind.lower()}-{i}.space.svc:2222"
            for i in range(spec["replicas"])
        ]
        for kind, spec in replicas.items()
    }
    assert set(replicas) == {"PS", "Worker"}
    for kind, spec in replicas.items():
        config = {
            "cluster": cluster,
            "task": {"type": kind.lower(), "index": 0},
            "environment": "cloud",
        }
        (container,) = spec["template"]["spec"]["containers"]
        assert container["name"] == "tensorflow"
        (port,) = container["ports"]
        assert (port["name"], port["containerPort"]) == ("tfjob-port", 2222)
        _check_command(container["command"], tf_config.parse(json.dumps(config)))


def _executable(path: pathlib.Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def test_the_slurm_script(tmp_path: pathlib.Path) -> None:
    """Slurm's commands are stand-ins; the script is the page's."""
    (script,) = _blocks("bash")
    options = dict(re.findall(r"^#SBATCH --([\w-]+)=(\S+)$", script, re.MULTILINE))
    assert int(options["nodes"]) * int(options["ntasks-per-node"]) == 3
    _executable(
        tmp_path / "scontrol",
        '#!/bin/bash\n[ "$*" = "show hostnames n[1-3]" ] && printf "n%s\\n" 1 2 3\n',
    )
    _executable(
        tmp_path / "srun",
        '#!/bin/bash\nfor i in 0 1 2; do SLURM_PROCID=$i "$@" || exit; done\n',
    )
    _executable(
        tmp_path / "python",
        f"#!{sys.executable}\n"
        "import json, os, sys\n"
        'print(json.dumps([os.environ["TF_CONFIG"], sys.argv[1:]]))\n',
    )
    done = subprocess.run(
        ["bash", "-eu", "-c", script],
        capture_output=True,
        text=True,
        timeout=60,
        env={
            **os.environ,
            "PATH": f"{tmp_path}:{os.environ['PATH']}",
            "SLURM_JOB_NODELIST": "n[1-3]",
        },
    )
    assert done.returncode == 0, done.stderr
    tasks = []
    for line in done.stdout.splitlines():
        text, arguments = json.loads(line)
        tasks.append(tf_config.parse(text))
        _check_command(["python", *arguments], tasks[-1])
    assert [str(task) for task in tasks] == ["ps 0", "worker 0", "worker 1"]
    assert tasks[0].hosts.ps == ("n1:2222",)
    assert {task.hosts.worker for task in tasks} == {("n2:2222", "n3:2222")}


def _resolver(**arguments: object) -> object:
    import tensorflow as tf

    return tf.distribute.cluster_resolver.SlurmClusterResolver(
        jobs={"ps": 1, "worker": 2}, port_base=2222, **arguments
    )


def test_what_is_said_of_tensorflows_slurm_resolver(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in SLURM.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("SLURM_PROCID", "2")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    resolver = _resolver(gpus_per_node=1, gpus_per_task=1, auto_set_gpu=False)
    spec = resolver.cluster_spec().as_dict()  # type: ignore[attr-defined]
    assert spec == {"ps": ["n1:2222"], "worker": ["n2:2222", "n3:2222"]}
    assert resolver.get_task_info() == ("worker", 1)  # type: ignore[attr-defined]
    assert os.environ["CUDA_VISIBLE_DEVICES"] == ""
    _resolver(gpus_per_node=1, gpus_per_task=1).cluster_spec()  # type: ignore[attr-defined]
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "0"
    with pytest.raises(ValueError):
        _resolver(gpus_per_node=0, gpus_per_task=0).cluster_spec()  # type: ignore[attr-defined]
    monkeypatch.setenv("SLURM_STEP_NODELIST", "node[9-11]")
    resolver = _resolver(gpus_per_node=1, gpus_per_task=1, auto_set_gpu=False)
    spec = resolver.cluster_spec().as_dict()  # type: ignore[attr-defined]
    assert spec["ps"] == ["node10:2222"]


def test_what_is_said_of_scenarios() -> None:
    """The table's two, and those that do not run on a cluster."""
    named = set(re.findall(r"`(\w+)`", PAGE)) & set(SCENARIOS)
    assert {"staleness", "sync_replicas", "in_graph_towers", "device_pinning"} <= named
