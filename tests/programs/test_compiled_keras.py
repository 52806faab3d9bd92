"""Compiled Keras models made Estimators, compared with TensorFlow 1.15.5's results."""

from __future__ import annotations

import pathlib
import sys

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from tests.programs import compiled_keras_programs, variants
from tests.programs.compiled_keras_programs import PROGRAMS
from tests.programs.variants import FAITHFUL, Found, Variant

each_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    return Found(tmp_path_factory.mktemp("compiled_keras"))


@each_program
def test_equals_tensorflow_1_15_5(program: Variant, found: Found) -> None:
    rows = variants.differences(program, compiled_keras_programs.recorded(), found)
    print(program.name, max(rows.values()))
    assert rows
    wrong = {k: v for k, v in rows.items() if not v <= program.tolerance}
    assert not wrong, f"allowed {program.tolerance}: {program.reason}"


@each_program
def test_checkpoints_are_told_of(program: Variant) -> None:
    migration = migrate_text(program.path.read_text(), FAITHFUL)
    assert "E101" in {f.code for f in migration.findings}


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (
            "sequential",
            "regularization_losses=self.losses",
            "regularization_losses=None",
        ),
        ("functional", 'loss_weights=given["loss_weights"]', "loss_weights=None"),
        ("tf1_optimizer", "if own.trainable:", "if not own.trainable:"),
    ],
)
def test_a_fault_shows(name: str, old: str, new: str, tmp_path: pathlib.Path) -> None:
    (program,) = (p for p in PROGRAMS if p.name == name)
    fault = ("keras_model_estimator.py", old, new)
    variants.migrated((program,), tmp_path / "programs", fault)
    found = variants.run(
        (program,), sys.executable, tmp_path / "programs", tmp_path / "run", True
    )
    rows = variants.differences(program, compiled_keras_programs.recorded(), found)
    assert max(rows.values()) > 100 * program.tolerance


def test_a_recurrent_layer_of_other_defaults_is_refused() -> None:
    (program,) = (p for p in PROGRAMS if p.name == "tf1_optimizer")
    text = program.path.read_text().replace("layers.Dropout(0.0)", "layers.LSTM(3)")
    found = migrate_text(text).findings
    assert "K166" in {f.code for f in found if f.outcome is Outcome.REFUSED}
