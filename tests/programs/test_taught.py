"""Programs as guides and answers teach them: migrated without a refusal, they run."""

from __future__ import annotations

import ast
import pathlib
import sys

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
    text: str, directory: pathlib.Path, ps: int, workers: int, client: bool = False
) -> None:
    """Runs a program as the tasks of a cluster; what it writes is in `directory`."""
    directory.mkdir()
    (directory / "program.py").write_text(text)
    processes.run_tasks(
        sys.executable,
        directory / "program.py",
        [f"--dir={directory}"],
        directory / "logs",
        ps=ps,
        workers=workers,
        client=client,
        environment=runner.ENVIRONMENT,
        timeout=240,
        preloaded=True,
    )


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
