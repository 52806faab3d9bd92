"""Keras models that hold tables or objects, compared with TensorFlow 1.15.5."""

from __future__ import annotations

import pathlib

import pytest

from migrate.compiler import migrate_text
from tests.programs import keras_holding, variants
from tests.programs.keras_holding import PROGRAMS
from tests.programs.variants import FAITHFUL, Found, Variant

each_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    return Found(tmp_path_factory.mktemp("keras_holding"))


@each_program
def test_becomes_a_keras_model(program: Variant) -> None:
    migration = migrate_text(program.path.read_text(), FAITHFUL)
    codes = {f.code for f in migration.findings}
    assert "K101" in codes and "K110" not in codes
    assert "labels, mode" not in migration.text
    assert "tf_keras.Model" in migration.text


@each_program
def test_equals_tensorflow_1_15_5(program: Variant, found: Found) -> None:
    wrong = variants.beyond_tolerance(program, keras_holding.recorded(), found)
    assert not wrong, f"allowed {program.tolerance}: {program.reason}"


@pytest.mark.parametrize(
    ("name", "old", "new", "seen"),
    [
        # Labels are in another order.
        ("vocabularies", '(label_values)', '(label_values[::-1])', "census/loss_5"),
        # Words that are unknown are one.
        ("vocabularies", 'num_oov_buckets=params["buckets"], default',
         'num_oov_buckets=1, default', "reader/embeddings"),
        # Classes that the table of names has not, also where it is exported.
        ("vocabularies", 'default_value="none"', 'default_value="none", vocab_size=1',
         "reader/answer/class"),
        # What an object held when its Estimator was made, not when a graph is.
        ("objects_around", 'iris_classifier.settings["rate"]', '0.1',
         "iris_5/dense/kernel"),
        ("objects_around", 'factorizer.penalty * tf', '0.0 * tf', "factors_5/v"),
        # Another draw of the first values, or another spread of them.
        ("own_variables", "stddev=0.4, seed=1", "stddev=0.4, seed=2", "mnist/loss_5"),
        ("own_variables", "maxval=0.5, seed=3", "maxval=0.6, seed=3", "regression/w"),
    ],
)  # fmt: skip
def test_another_table_or_value_is_seen(
    name: str, old: str, new: str, seen: str, tmp_path: pathlib.Path
) -> None:
    (program,) = (p for p in PROGRAMS if p.name == name)
    found = variants.migrated_and_run((program,), tmp_path, anywhere=(old, new))
    rows = variants.differences(program, keras_holding.recorded(), found)
    assert rows[f"{name}/{seen}"] > 1e-3
