"""Estimators whose model functions, layers and inputs come by stars."""

from __future__ import annotations

import pathlib
import sys

import pytest

from migrate.results import write_result
from migrate.run import run_tree
from tests.programs import keras_star_programs, variants
from tests.programs.keras_star_programs import HERE, PROGRAMS, StarProgram
from tests.programs.variants import FAITHFUL, Found

FAULTS = {
    "sales_train": ("sales/layers.py", "momentum=0.9", "momentum=0.99"),
    "sales_predict": ("sales/model.py", "kernel_initializer=uniform(7)",
                      "kernel_initializer=uniform(8)"),
}  # fmt: skip


def _migrated(target: pathlib.Path) -> dict[str, str]:
    """Migrates the tree into a directory; the texts of its files, with all codes."""
    texts = {}
    for result in run_tree([HERE], FAITHFUL, jobs=1):
        name = result.path.relative_to(HERE).as_posix()
        assert not result.failed, name
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_bytes(result.path.read_bytes())
        write_result(
            type(result)(
                target / name,
                result.path.read_bytes(),
                result.new or result.path.read_bytes(),
                result.findings,
                result.support,
                support_at=result.support_at,
            ),
            target / name,
        )
        texts[name] = (target / name).read_text()
    return texts


@pytest.fixture(scope="module")
def texts(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[pathlib.Path, dict[str, str]]:
    target = tmp_path_factory.mktemp("keras_stars") / "programs"
    return target, _migrated(target)


@pytest.fixture(scope="module")
def found(
    texts: tuple[pathlib.Path, dict[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> Found:
    return Found(
        tmp_path_factory.mktemp("keras_stars_run"),
        lambda program, at: variants.run(
            (program,), sys.executable, texts[0], at, preloaded=True
        ),
    )


def test_they_become_keras_models(
    texts: tuple[pathlib.Path, dict[str, str]],
) -> None:
    _, of = texts
    assert "class SalesModel(tf_keras.Model)" in of["sales/model.py"]
    assert "tf_keras.layers.BatchNormalization" in of["sales/layers.py"]
    # A star whose names are what they were stays.
    assert "from sales.inputs import *\n" in of["sales_train.py"]
    for name in ("sales_train.py", "sales_predict.py"):
        assert "from sales.model import HIDDEN, SalesModel, under\n" in of[name]
    assert "from .common import *\n" in of["sales/layers.py"]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_equals_tensorflow_1_15_5(program: StarProgram, found: Found) -> None:
    rows = variants.differences(program, keras_star_programs.recorded(), found)
    assert rows
    wrong = {k: v for k, v in rows.items() if not v <= program.tolerance}
    assert not wrong, f"allowed {program.tolerance}: {program.reason}"


def test_a_fault_in_what_a_star_brings_is_seen(tmp_path: pathlib.Path) -> None:
    target = tmp_path / "programs"
    _migrated(target)
    for file, old, new in FAULTS.values():
        text = (target / file).read_text()
        assert old in text
        (target / file).write_text(text.replace(old, new))
    seen = variants.run(PROGRAMS, sys.executable, target, tmp_path / "run", True)
    for program in PROGRAMS:
        rows = variants.differences(program, keras_star_programs.recorded(), seen)
        assert max(rows.values()) > 1e-3, program.name
