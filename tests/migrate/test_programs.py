"""Every variant program is migrated and run on the TensorFlow installed here."""

from __future__ import annotations

import json
import pathlib
import sys

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.pipeline import support_source
from reference import processes
from reference.environment import find_tf1
from tests.programs.programs import VARIANTS, Variant

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
    for name in migration.support:
        (directory / name).write_bytes(support_source(name))
    return target


def _run(variant: Variant, python: str, program: pathlib.Path, out: pathlib.Path) -> None:
    def config(job: str, index: int, hosts: processes.Hosts) -> dict[str, str]:
        cluster = {"ps": list(hosts.ps), "worker": list(hosts.worker)}
        task = {"type": job, "index": index}
        return {"TF_CONFIG": json.dumps({"cluster": cluster, "task": task}), "DIR": str(out)}

    def arguments(job: str, index: int, hosts: processes.Hosts) -> list[str]:
        if variant.name == "dataset_iterator":
            return []
        return [*processes.flag_arguments(job, index, hosts), f"--dir={out}"]

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
    )


def _losses(out: pathlib.Path, worker: int = 0) -> list[float]:
    lines = (out / f"loss.{worker}").read_text().splitlines()
    return [float(line.split()[1]) for line in lines]


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.name)
def test_runs(variant: Variant, tmp_path: pathlib.Path) -> None:
    program = _migrated(variant.path, tmp_path / "program")
    out = tmp_path / "out"
    _run(variant, sys.executable, program, out)
    losses = _losses(out)
    assert all(loss == loss and abs(loss) < 100 for loss in losses)
    together = sum(len(_losses(out, w)) for w in range(variant.workers))
    assert together >= variant.lines


@pytest.mark.parametrize(
    "variant", [v for v in VARIANTS if v.equal], ids=lambda v: v.name
)
def test_equals_genuine_tf1(variant: Variant, tmp_path: pathlib.Path) -> None:
    python = find_tf1()
    if python is None:
        pytest.skip("no Python 3.7 with TensorFlow 1.15.5 on this machine")
    _run(variant, str(python), variant.path, tmp_path / "tf1")
    _run(
        variant,
        sys.executable,
        _migrated(variant.path, tmp_path / "program"),
        tmp_path / "tf2",
    )
    old, new = _losses(tmp_path / "tf1"), _losses(tmp_path / "tf2")
    assert len(old) == len(new)
    # Seeded initial values and the same batches. Means over a batch are summed in
    # another order by the two versions: a few float32 ULPs of losses below 4.
    assert max(abs(a - b) for a, b in zip(old, new, strict=True)) <= 1e-6


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.name)
def test_a_second_run_changes_nothing(variant: Variant) -> None:
    once = migrate_text(variant.path.read_text())
    assert once.text != variant.path.read_text()
    assert migrate_text(once.text).text == once.text
