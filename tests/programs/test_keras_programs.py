"""Estimator programs that become Keras models, compared with TensorFlow 1.15.5's results."""

from __future__ import annotations

import pathlib
import sys

import pytest

from migrate.compiler import migrate_text
from migrate.options import Options
from tests.programs import keras_programs, variants
from tests.programs.keras_programs import PROGRAMS
from tests.programs.variants import FAITHFUL, Found, Variant

each_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    return Found(tmp_path_factory.mktemp("keras_programs"))


@each_program
def test_becomes_a_keras_model(program: Variant) -> None:
    migration = migrate_text(program.path.read_text(), FAITHFUL)
    codes = {f.code for f in migration.findings}
    assert "K101" in codes and "K110" not in codes
    assert "labels, mode" not in migration.text


@each_program
def test_stays_a_model_fn_where_that_is_wanted(program: Variant) -> None:
    wanted = Options(estimators="model_fn")
    migration = migrate_text(program.path.read_text(), wanted)
    assert "tf_keras.Model" not in migration.text
    assert not any(f.code.startswith("K") for f in migration.findings)


@each_program
def test_equals_tensorflow_1_15_5(program: Variant, found: Found) -> None:
    rows = variants.differences(program, keras_programs.recorded(), found)
    assert rows
    wrong = {k: v for k, v in rows.items() if not v <= program.tolerance}
    assert not wrong, f"allowed {program.tolerance}: {program.reason}"


def test_another_draw_of_dropout_is_seen(tmp_path: pathlib.Path) -> None:
    (program,) = (p for p in PROGRAMS if p.name == "plain_values")
    fault = ("keras_estimator/layers.py", "seed=self.seed", "seed=self.seed + 1")
    variants.migrated((program,), tmp_path / "programs", fault)
    found = variants.run(
        (program,), sys.executable, tmp_path / "programs", tmp_path / "run", True
    )
    rows = variants.differences(program, keras_programs.recorded(), found)
    assert max(rows.values()) > 1e-3


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("branches", "rate = 2 * rate", "rate = rate"),
        ("branches", "gradients, params[", "gradients, 9 + params["),
        ("chosen", "tf.nn.relu", "tf.nn.elu"),
        ("chosen", '"wide": WideModel', '"wide": crossed_fn_builder(5)'),
        ("builders", 'told(average, "eval")', 'told(average, "train")'),
        ("rates", "global_step, boundaries, values", "9, boundaries, values"),
        ("warm_ups", "is_warm_up * init_lr * done", "is_warm_up * init_lr"),
        ("twice", "logits_train = self(features, training=True)",
         "logits_train = self(features, training=False)"),
    ],
)  # fmt: skip
def test_a_step_that_computes_something_else_is_seen(
    name: str, old: str, new: str, tmp_path: pathlib.Path
) -> None:
    (program,) = (p for p in PROGRAMS if p.name == name)
    variants.migrated((program,), tmp_path / "programs")
    path = tmp_path / "programs" / program.path.name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    found = variants.run(
        (program,), sys.executable, tmp_path / "programs", tmp_path / "run", True
    )
    rows = variants.differences(program, keras_programs.recorded(), found)
    assert max(rows.values()) > 1e-3
