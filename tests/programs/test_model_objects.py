"""Methods and objects as Keras models, compared with TensorFlow 1.15.5.

All go on from a checkpoint that TensorFlow 1.15.5 has saved: so its names, slots included,
are theirs.
"""

from __future__ import annotations

import pathlib

import pytest

from migrate.compiler import migrate_text
from reference.compare import Array
from tests.programs import model_objects, variants
from tests.programs.model_objects import PROGRAMS
from tests.programs.variants import FAITHFUL, Found, Variant


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    def run(program: Variant, work: pathlib.Path) -> dict[str, Array]:
        variants.migrated((program,), work / "programs")
        return model_objects.continued((program,), work / "programs", work / "run")

    return Found(tmp_path_factory.mktemp("model_objects"), run)


def _wrong(program: Variant, found: dict[str, Array] | Found) -> dict[str, float]:
    rows = variants.differences(program, model_objects.recorded(), found)
    assert rows
    return {k: v for k, v in rows.items() if not v <= program.tolerance}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_becomes_a_keras_model(program: Variant) -> None:
    migration = migrate_text(program.path.read_text(), FAITHFUL)
    codes = {f.code for f in migration.findings}
    assert "K101" in codes and "K110" not in codes
    assert "EstimatorSpec" not in migration.text


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_goes_on_as_tensorflow_1_15_5(program: Variant, found: Found) -> None:
    wrong = _wrong(program, found)
    assert not wrong, f"allowed {program.tolerance}: {program.reason}"


_FAULTS = {
    "classes": ("margin=1.5", "margin=1.0"),
    "kinds": ("weight=builder.weight", "weight=2 * builder.weight"),
    "mnist": ("y = self.fc1(y)", "y = 1.1 * self.fc1(y)"),
    "networks": ("seed=11", "seed=12"),
    "residual": ("training=True)", "training=False)"),
    "siamese": ("l2=self.l2", "l2=2 * self.l2"),
    "trainers": ("=self.LEARNING_RATE", "=2 * self.LEARNING_RATE"),
}


def test_what_an_object_had_or_did_otherwise_is_seen(tmp_path: pathlib.Path) -> None:
    variants.migrated(PROGRAMS, tmp_path / "programs")
    for program in PROGRAMS:
        path = tmp_path / "programs" / program.path.name
        old, new = _FAULTS[program.name]
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
    found = model_objects.continued(PROGRAMS, tmp_path / "programs", tmp_path / "run")
    for program in PROGRAMS:
        assert max(_wrong(program, found).values()) > 1e-3, program.name


def test_a_scope_that_a_helper_is_not_told_is_seen(tmp_path: pathlib.Path) -> None:
    """TensorFlow 1.15.5's checkpoint has no variables of such names."""
    (program,) = (p for p in PROGRAMS if p.name == "residual")
    variants.migrated((program,), tmp_path / "programs")
    path = tmp_path / "programs" / program.path.name
    text = path.read_text()
    assert text.count('scope="resnet_model/" + name') == 3
    path.write_text(
        text.replace('scope="resnet_model/" + name', 'scope="resnet_model"')
    )
    with pytest.raises(Exception, match="resnet_model/layer0_0_a/kernel"):
        model_objects.continued((program,), path.parent, tmp_path / "run")
