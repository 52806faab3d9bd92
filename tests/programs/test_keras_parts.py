"""Keras models of networks and steps of many kinds, compared with TensorFlow 1.15.5."""

from __future__ import annotations

import pathlib
import sys

import pytest

from migrate.compiler import migrate_text
from reference.compare import Array
from tests.programs import keras_parts, variants
from tests.programs.keras_parts import PROGRAMS, KerasPart

each_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)


def _found(
    programs: tuple[KerasPart, ...],
    work: pathlib.Path,
    fault: tuple[str, str, str] | None = None,
) -> dict[str, Array]:
    variants.migrated(programs, work / "programs", fault)
    source = work / "programs"
    return variants.run(programs, sys.executable, source, work / "run", preloaded=True)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Array]:
    return _found(PROGRAMS, tmp_path_factory.mktemp("keras_parts"))


@each_program
def test_becomes_a_keras_model(program: KerasPart) -> None:
    migration = migrate_text(program.path.read_text())
    codes = {f.code for f in migration.findings}
    assert "K101" in codes and "K110" not in codes
    assert "labels, mode" not in migration.text
    assert "tf_keras.Model" in migration.text


@each_program
def test_equals_tensorflow_1_15_5(
    program: KerasPart, found: dict[str, Array]
) -> None:
    rows = variants.differences(program, keras_parts.recorded(), found)
    assert rows
    wrong = {k: v for k, v in rows.items() if not v <= program.tolerance}
    assert not wrong, f"allowed {program.tolerance}: {program.reason}"


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("contrib_stacks", "1e-12", "1e-2"),
        ("contrib_stacks", "        super().__init__(*args, **kwargs)\n        self._after",
         "        super().__init__(*args, **{**kwargs, 'fused': None})\n        self._after"),
        ("contrib_stacks", "return self._after(self.normalizer(outputs))",
         "return self.normalizer(self._after(outputs))"),
    ],
)  # fmt: skip
def test_another_layer_is_seen(
    name: str, old: str, new: str, tmp_path: pathlib.Path
) -> None:
    (program,) = (p for p in PROGRAMS if p.name == name)
    found = _found((program,), tmp_path, ("keras_estimator.py", old, new))
    rows = variants.differences(program, keras_parts.recorded(), found)
    assert max(rows.values()) > 5 * program.tolerance
