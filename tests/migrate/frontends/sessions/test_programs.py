"""Every variant program is migrated and run on the TensorFlow installed here."""

from __future__ import annotations

import pathlib
import sys

import numpy as np
import pytest

from migrate.beside import files as beside
from migrate.compiler import migrate_text
from migrate.findings import Outcome
from reference import processes
from tests.programs import clusters
from tests.programs.clusters import EVERY
from tests.programs.programs import Variant

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
    beside.write(directory, migration.text)
    return target


@pytest.mark.parametrize("variant", EVERY, ids=lambda v: v.name)
def test_runs(variant: Variant, tmp_path: pathlib.Path) -> None:
    """And equals TensorFlow 1.15.5, where it draws nothing at random."""
    program = _migrated(variant.path, tmp_path / "program")
    found = clusters.run(variant, sys.executable, program, tmp_path / "out")
    assert sum(map(len, found)) >= variant.lines
    losses = [loss for lines in found for _, loss in lines]
    assert all(loss == loss and abs(loss) < 100 for loss in losses)
    if variant.equal:
        recorded = clusters.recorded(variant)
        # A loop that ends by the step that it fetches beside the update: on a loaded
        # machine TF1's server told the one after it, and made one round less.
        assert len(found[0]) - len(recorded[0]) in (0, 1)
        assert len(found[0]) >= variant.lines
        assert clusters.difference(found, recorded) <= variant.tolerance


def _losses(out: pathlib.Path) -> list[float]:
    return [float(x.split()[1]) for x in (out / "loss.0").read_text().splitlines()]


@pytest.mark.parametrize("variant", [v for v in EVERY if v.alone], ids=lambda v: v.name)
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


def test_averages_of_values_after_the_update_are_seen(tmp_path: pathlib.Path) -> None:
    """On servers TensorFlow 1 moved them to the values from before it."""
    variant = next(v for v in EVERY if v.name == "averages_on_servers")
    program = _migrated(variant.path, tmp_path / "program")
    text = program.read_text()
    program.write_text(text.replace(".apply(averages_before)", ".apply([w, b])"))
    assert program.read_text() != text
    recorded = clusters.recorded(variant)
    found = clusters.run(variant, sys.executable, program, tmp_path / "out")
    assert clusters.difference(found, recorded) > 100 * variant.tolerance


def test_averages_on_servers_are_one_update_behind() -> None:
    """What the page of N191 says, by the update of the program written in NumPy."""
    variant = next(v for v in EVERY if v.name == "averages_on_servers")
    recorded = [float(value) for _, value in clusters.recorded(variant)[0]]
    random = np.random.RandomState(5)
    # The weights and the bias; how fast they move; their averages.
    values, speed = np.array([0.5] * 6 + [0.0]), np.zeros(7)
    averages, after = values.copy(), []
    for step in range(1, len(recorded) + 1):
        rows = random.rand(8, 6)
        inputs = np.hstack([rows, np.ones([8, 1])])
        error = inputs @ values - rows.sum(1) / 3
        speed = 0.9 * speed + 2 * inputs.T @ error / 8
        values = values - 0.1 * speed
        decay = min(0.8, (1 + step) / (10 + step))
        averages = decay * averages + (1 - decay) * values
        after.append(averages[:6].sum() + 3 * averages[6])
    np.testing.assert_allclose(recorded[1:], after[:-1], atol=1e-5)
    assert np.abs(np.subtract(recorded, after)).max() > 0.1


def test_each_worker_reads_its_own_shard(tmp_path: pathlib.Path) -> None:
    variant = next(v for v in EVERY if v.name == "sharded_input")
    program = _migrated(variant.path, tmp_path / "program")
    found = clusters.run(variant, sys.executable, program, tmp_path / "out")
    firsts = [[first for first, _ in lines] for lines in found]
    assert firsts == [["0", "10", "20", "30"], ["1", "11", "21", "31"]]


def test_each_worker_has_what_its_process_had(tmp_path: pathlib.Path) -> None:
    """Two workers read and draw the same as they did as processes of TF1, to the bit.

    Their losses are not the same: the workers race. The first column is the data.
    """
    variant = next(v for v in EVERY if v.name == "workers_own")
    program = _migrated(variant.path, tmp_path / "program")
    found, recorded = (
        [[first for first, _ in lines] for lines in trace]
        for trace in (
            clusters.run(variant, sys.executable, program, tmp_path / "out"),
            clusters.recorded(variant),
        )
    )
    assert found == recorded
    assert recorded[0] != recorded[1]  # They would not tell, were they alike.


@pytest.mark.parametrize("as_module", [True, False])
def test_runs_as_a_script_and_as_a_module(
    as_module: bool, tmp_path: pathlib.Path
) -> None:
    package = tmp_path / "trainer"
    package.mkdir()
    (package / "__init__.py").touch()
    program = package / "task.py"
    variant = next(v for v in EVERY if v.name == "siamese_losses")
    program.write_text(variant.path.read_text())
    migration = migrate_text(program.read_text(), filename=str(program))
    program.write_text(migration.text)
    beside.write(package, migration.text)
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
    variant = next(v for v in EVERY if v.name == "existing_servers")
    program = _migrated(variant.path, tmp_path)
    flags = ["--job_name=worker", "--task_index=0", "--existing_servers"]
    done = processes.run_program(
        [sys.executable, program, *flags, "--worker_hosts=localhost:1"],
        environment=ENVIRONMENT,
        check=False,
    )
    assert done.returncode == 1
    assert "ValueError: the migrated program does not use servers" in done.stderr
