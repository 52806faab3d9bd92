"""Every variant program is migrated and run on the TensorFlow installed here."""

from __future__ import annotations

import json
import pathlib
import sys

import numpy as np
import pytest

from migrate import emitted
from migrate.compiler import migrate_text
from migrate.findings import Outcome
from reference import data, processes
from tests.programs.more_programs import MORE, prepare
from tests.programs.programs import VARIANTS, Variant

MIGRATED = [*VARIANTS, *MORE]

ENVIRONMENT = {
    "TF_CPP_MIN_LOG_LEVEL": "2",
    "TF_ENABLE_ONEDNN_OPTS": "0",
    "CUDA_VISIBLE_DEVICES": "",
}


def _migrated(path: pathlib.Path, directory: pathlib.Path) -> pathlib.Path:
    migration = migrate_text(path.read_text(), filename=str(path))
    loud = [
        f for f in migration.findings if f.outcome in (Outcome.REFUSED, Outcome.FAILED)
    ]
    assert not loud
    directory.mkdir(parents=True, exist_ok=True)
    target = directory / path.name
    target.write_text(migration.text)
    emitted.write(migration.support, directory)
    return target


def _run(
    variant: Variant, python: str, program: pathlib.Path, out: pathlib.Path
) -> None:
    def config(job: str, index: int, hosts: processes.Hosts) -> dict[str, str]:
        cluster = {"ps": list(hosts.ps), "worker": list(hosts.worker)}
        task = {"type": job, "index": index}
        return {
            "TF_CONFIG": json.dumps({"cluster": cluster, "task": task}),
            "DIR": str(out),
        }

    def arguments(job: str, index: int, hosts: processes.Hosts) -> list[str]:
        if "TF_CONFIG" in variant.path.read_text():
            return []
        return [*processes.flag_arguments(job, index, hosts), f"--dir={out}"]

    if variant.name == "mnist_reader":
        data.write_mnist(out.parent / "mnist")
    prepare(variant, out)
    processes.run_tasks(
        python,
        program,
        [],
        out,
        ps=variant.ps,
        workers=variant.workers,
        environment=ENVIRONMENT,
        command_line=arguments,
        task_environment=config,
        preloaded=True,
    )


def _losses(out: pathlib.Path, worker: int = 0) -> list[float]:
    lines = (out / f"loss.{worker}").read_text().splitlines()
    return [float(line.split()[1]) for line in lines]


@pytest.mark.parametrize("variant", MIGRATED, ids=lambda v: v.name)
def test_runs(variant: Variant, tmp_path: pathlib.Path) -> None:
    program = _migrated(variant.path, tmp_path / "program")
    out = tmp_path / "out"
    _run(variant, sys.executable, program, out)
    losses = _losses(out)
    assert all(loss == loss and abs(loss) < 100 for loss in losses)
    together = sum(len(_losses(out, w)) for w in range(variant.workers))
    assert together >= variant.lines


@pytest.mark.parametrize(
    "variant",
    [v for v in MIGRATED if v.equal],
    ids=lambda v: v.name,
)
def test_equals_genuine_tf1(variant: Variant, tf1: str, tmp_path: pathlib.Path) -> None:
    _run(variant, tf1, variant.path, tmp_path / "tf1")
    _run(
        variant,
        sys.executable,
        _migrated(variant.path, tmp_path / "program"),
        tmp_path / "tf2",
    )
    old, new = _losses(tmp_path / "tf1"), _losses(tmp_path / "tf2")
    # A loop that ends by the step that it fetches beside the update: on a loaded machine
    # TF1's server once told the one after the update, and the loop made one round less.
    assert len(new) - len(old) in (0, 1) and len(new) >= variant.lines
    worst = max(abs(a - b) for a, b in zip(old, new))
    assert worst <= variant.tolerance


@pytest.mark.parametrize(
    "variant", [v for v in MIGRATED if v.alone], ids=lambda v: v.name
)
def test_alone_it_equals_genuine_tf1(
    variant: Variant, tf1: str, tmp_path: pathlib.Path
) -> None:
    """Without a cluster; another rate is seen."""
    program = _migrated(variant.path, tmp_path / "program")
    slower = tmp_path / "program" / "slower.py"
    slower.write_text(program.read_text().replace("(0.1, 0.9)", "(0.1, 0.89)"))
    assert slower.read_text() != program.read_text()
    found = {}
    for python, path, name in (
        (tf1, variant.path, "tf1"),
        (sys.executable, program, "tf2"),
        (sys.executable, slower, "slower"),
    ):
        out = tmp_path / name
        out.mkdir()
        processes.run_program([python, path, f"--dir={out}"], environment=ENVIRONMENT)
        found[name] = np.array(_losses(out))
    np.testing.assert_allclose(found["tf2"], found["tf1"], atol=variant.tolerance)
    assert np.abs(found["slower"] - found["tf1"]).max() > variant.tolerance


def test_each_worker_reads_its_own_shard(tmp_path: pathlib.Path) -> None:
    variant = next(v for v in VARIANTS if v.name == "sharded_input")
    out = tmp_path / "out"
    _run(variant, sys.executable, _migrated(variant.path, tmp_path / "program"), out)
    firsts = [
        [int(line.split()[0]) for line in (out / f"loss.{w}").open()] for w in (0, 1)
    ]
    assert firsts == [[0, 10, 20, 30], [1, 11, 21, 31]]


def test_each_worker_has_what_its_process_had(tf1: str, tmp_path: pathlib.Path) -> None:
    """What two workers read and draw is what they did as processes of TF1, to the bit.

    Their losses are not: who comes first is a race. The first column is the data.
    """
    variant = next(v for v in MORE if v.name == "workers_own")
    program = _migrated(variant.path, tmp_path / "program")
    for python, path, name in (
        (tf1, variant.path, "tf1"),
        (sys.executable, program, "tf2"),
    ):
        _run(variant, python, path, tmp_path / name)

    def drawn(name: str, worker: int) -> list[str]:
        lines = (tmp_path / name / f"loss.{worker}").read_text().splitlines()
        return [line.split()[0] for line in lines]

    for worker in (0, 1):
        assert drawn("tf1", worker) == drawn("tf2", worker)
    assert drawn("tf1", 0) != drawn("tf1", 1)  # They would not tell, were they alike.


@pytest.mark.parametrize("as_module", [True, False])
def test_runs_as_a_script_and_as_a_module(
    as_module: bool, tmp_path: pathlib.Path
) -> None:
    package = tmp_path / "trainer"
    package.mkdir()
    (package / "__init__.py").touch()
    program = package / "task.py"
    variant = next(v for v in MIGRATED if v.name == "siamese_losses")
    program.write_text(variant.path.read_text())
    migration = migrate_text(program.read_text(), filename=str(program))
    program.write_text(migration.text)
    emitted.write(migration.support, package)
    command = ["-m", "trainer.task"] if as_module else [str(program)]
    done = processes.run_program(
        [sys.executable, *command, "--help"],
        environment=ENVIRONMENT,
        directory=tmp_path,
        check=False,
    )
    assert "Comma-separated hosts" in done.stdout + done.stderr
    assert "Error" not in done.stderr


def test_servers_that_run_already_stop_the_program(tmp_path: pathlib.Path) -> None:
    variant = next(v for v in MORE if v.name == "existing_servers")
    program = _migrated(variant.path, tmp_path)
    flags = ["--job_name=worker", "--task_index=0", "--existing_servers"]
    done = processes.run_program(
        [sys.executable, program, *flags, "--worker_hosts=localhost:1"],
        environment=ENVIRONMENT,
        check=False,
    )
    assert done.returncode == 1
    assert "ValueError: servers that were started elsewhere" in done.stderr
