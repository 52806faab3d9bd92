"""The Estimator variants: migrated and run here, and against TensorFlow 1.15.5 where it is."""

from __future__ import annotations

import pathlib
import sys

import pytest

from migrate.beside import files as beside
from migrate.compiler import migrate_text
from migrate.findings import Outcome
from reference.environment import find_tf1
from tests.programs import estimators
from tests.programs.estimators import VARIANTS, EstimatorVariant
from tests.programs.variants import FAITHFUL

each = pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.name)


def migrated(variant: EstimatorVariant, directory: pathlib.Path) -> pathlib.Path:
    migration = migrate_text(
        variant.path.read_text(), FAITHFUL, filename=str(variant.path)
    )
    loud = [
        f for f in migration.findings if f.outcome in (Outcome.REFUSED, Outcome.FAILED)
    ]
    assert not loud
    directory.mkdir(parents=True, exist_ok=True)
    beside.write(directory, migration.text)
    program = directory / variant.path.name
    program.write_text(migration.text)
    return program


@each
def test_migration_equals_tensorflow_1_15_5(
    variant: EstimatorVariant, tmp_path: pathlib.Path
) -> None:
    python = find_tf1()
    if python is None:
        pytest.skip("no Python 3.7 with TensorFlow 1.15.5 on this machine")
    program = migrated(variant, tmp_path / "program")
    for name in ("tf1", "tf2"):
        (tmp_path / name).mkdir()
    expected = estimators.run(str(python), variant.path, tmp_path / "tf1")
    assert expected["eval/global_step"] >= 20
    estimators.start(tmp_path / "tf1", tmp_path / "tf2")
    found = estimators.run(sys.executable, program, tmp_path / "tf2", preloaded=True)
    rows = estimators.differences(variant, expected, found)
    wrong = {k: v for k, v in rows.items() if not v <= variant.tolerance}
    assert not wrong, f"allowed {variant.tolerance}: {variant.reason}"
    # A control: one weight that starts elsewhere is seen.
    other = tmp_path / "other"
    other.mkdir()
    estimators.start(tmp_path / "tf1", other, moved=1e-3)
    moved = estimators.run(sys.executable, program, other, preloaded=True)
    rows = estimators.differences(variant, expected, moved)
    assert max(rows.values()) > variant.tolerance
