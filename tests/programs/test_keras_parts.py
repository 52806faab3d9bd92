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
    fault: tuple[str, str] | None = None,
) -> dict[str, Array]:
    """What programs find.

    Args:
      fault: what is replaced, once, in what is written of them.
    """
    source = work / "programs"
    variants.migrated(programs, source)
    if fault is not None:
        old, new = fault
        (path,) = (p for p in source.rglob("*.py") if old in p.read_text())
        assert path.read_text().count(old) == 1
        path.write_text(path.read_text().replace(old, new))
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


_BATCH_NORM = (
    "        super().__init__(*args, **kwargs)\n        self._after",
    "        super().__init__(*args, **{**kwargs, 'fused': None})\n        self._after",
)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("contrib_stacks", "else 1e-12", "else 1e-2"),
        ("contrib_stacks", *_BATCH_NORM),
        (
            "contrib_stacks",
            "return self._after(self.normalizer(outputs))",
            "return self.normalizer(self._after(outputs))",
        ),
        # Evaluates the variables, not their averages.
        ("averaged", "Saver(ema.variables_to_restore())", "Saver()"),
        # Moves the averages before the update.
        (
            "averaged",
            "self.optimizer.apply_gradients(grads_and_vars)\n"
            "    self.averages.apply(self.trainable_variables)\n",
            "self.averages.apply(self.trainable_variables)\n"
            "    self.optimizer.apply_gradients(grads_and_vars)\n",
        ),
        # Counts the padding as well.
        (
            "metric_functions",
            "per_example_loss,\n        sample_weight=is_real_example)",
            "per_example_loss)",
        ),
        # Runs over what is no word.
        ("recurrent", ' sequence_length=features["length"],', ""),
    ],
)
def test_something_else_is_seen(
    name: str, old: str, new: str, tmp_path: pathlib.Path
) -> None:
    (program,) = (p for p in PROGRAMS if p.name == name)
    found = _found((program,), tmp_path, (old, new))
    rows = variants.differences(program, keras_parts.recorded(), found)
    assert max(rows.values()) > 5 * program.tolerance
