"""Programs as guides and answers teach them: migrated without a refusal, they run."""

from __future__ import annotations

import ast
import json
import pathlib
import sys

import numpy as np
import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.migration import Migration
from reference import processes, runner

HERE = pathlib.Path(__file__).parent / "taught"


def migrated(name: str) -> Migration:
    migration = migrate_text((HERE / f"{name}.py").read_text())
    wrong = [f for f in migration.findings if f.outcome is not Outcome.REWRITTEN]
    assert not [f for f in wrong if f.outcome is not Outcome.KEPT], wrong
    again = migrate_text(migration.text)
    assert again.text == migration.text
    return migration


def run(
    text: str,
    directory: pathlib.Path,
    ps: int = 0,
    workers: int = 1,
    client: bool = False,
    arguments: tuple[str, ...] = (),
) -> None:
    """Runs a program as the tasks of a cluster; what it writes is in `directory`."""
    directory.mkdir()
    (directory / "program.py").write_text(text)
    processes.run_tasks(
        sys.executable,
        directory / "program.py",
        [f"--dir={directory}", *arguments],
        directory / "logs",
        ps=ps,
        workers=workers,
        client=client,
        environment=runner.ENVIRONMENT,
        timeout=240,
        preloaded=True,
        command_line=processes.flag_arguments if ps or workers > 1 else _no_flags,
    )


def _no_flags(job: str, index: int, hosts: processes.Hosts) -> list[str]:
    return []


def test_partitioners_of_both_versions_split_alike(tmp_path: pathlib.Path) -> None:
    migration = migrated("sharded_client")
    assert "1.partitioner" not in migration.text and "按字节数切分" in migration.text
    found = []
    for name, text in (
        ("before", (HERE / "sharded_client.py").read_text()),
        ("after", migration.text),
        (
            "fault",
            migration.text.replace("min_shard_bytes=100", "min_shard_bytes=9999"),
        ),
    ):
        run(text, tmp_path / name, 2, 1, client=True)
        found.append(ast.literal_eval((tmp_path / name / "shards").read_text()))
    assert found[0] == found[1] == [[1, 2, 2], [1, 1, 2], [1, 2, 3]]
    assert found[2] != found[0]


MIRRORED = ("mirrored_text", "mirrored_parts", "mirrored_starred")
# What a replica would do wrongly, by program: each must be seen.
MIRRORED_FAULTS = {
    "mirrored_text": ("tf.nn.compute_average_loss(", "tf.reduce_mean("),
    "mirrored_parts": ('.reduce("SUM"', '.reduce("MEAN"'),
    "mirrored_starred": ("tf.nn.compute_average_loss(", "tf.reduce_sum("),
}


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[float]]:
    """What each program means on one device with the whole batch."""
    for name in MIRRORED:
        migrated(name)
    directory = tmp_path_factory.mktemp("truth") / "run"
    run((HERE / "on_one_device.py").read_text(), directory)
    found: dict[str, list[float]] = json.loads((directory / "truth.json").read_text())
    return found


def logged(directory: pathlib.Path, task: int = 0) -> list[float]:
    return [float(n) for n in (directory / f"loss.{task}").read_text().split()]


@pytest.mark.parametrize("name", MIRRORED)
def test_replicas_learn_what_one_device_learns(
    name: str, truth: dict[str, list[float]], tmp_path: pathlib.Path
) -> None:
    migration = migrated(name)
    codes = {f.code for f in migration.findings}
    assert {"D104", "D141", "D148"} <= codes
    assert ("D142" in codes) == (name == "mirrored_text") == ("D140" in codes)
    old, new = MIRRORED_FAULTS[name]
    fault = migration.text.replace(old, new)
    assert fault != migration.text
    for kind, text, replicas in (
        ("one", migration.text, "1"),
        ("two", migration.text, "2"),
        ("fault", fault, "2"),
    ):
        run(text, tmp_path / kind, arguments=(replicas,))
    # Sums of parts of a batch, in another order: measured 2.4e-7.
    for kind in ("one", "two"):
        np.testing.assert_allclose(logged(tmp_path / kind), truth[name], atol=2e-6)
    assert not np.allclose(logged(tmp_path / "fault"), truth[name], atol=1e-3)


def test_comments_of_mirrored_programs_stay() -> None:
    for comment in ("# 建立网络", "# 异步训练", "# 策略", "# 一步"):
        assert migrated("mirrored_text").text.count(comment) == 1
