"""Small Estimator programs: migrated, run together, compared with TensorFlow 1.15.5's results."""

from __future__ import annotations

import pathlib
import sys

import pytest

from reference.compare import Array
from tests.programs import variants
from tests.programs.variants import VARIANTS, Variant


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Array]:
    work = tmp_path_factory.mktemp("variants")
    variants.migrated(VARIANTS, work / "programs")
    return variants.run(
        VARIANTS, sys.executable, work / "programs", work / "run", preloaded=True
    )


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.name)
def test_equals_tensorflow_1_15_5(variant: Variant, found: dict[str, Array]) -> None:
    rows = variants.differences(variant, variants.recorded(), found)
    assert rows
    wrong = {k: v for k, v in rows.items() if not v <= variant.tolerance}
    assert not wrong, f"allowed {variant.tolerance}: {variant.reason}"


def test_penalties_that_are_added_twice_are_seen(tmp_path: pathlib.Path) -> None:
    (variant,) = (v for v in VARIANTS if v.name == "adversaries")
    fault = ("estimator_loop/variables.py", "\n_penalise_once()\n", "\n")
    variants.migrated((variant,), tmp_path / "programs", fault)
    found = variants.run(
        (variant,), sys.executable, tmp_path / "programs", tmp_path / "run", True
    )
    rows = variants.differences(variant, variants.recorded(), found)
    assert max(rows.values()) > 1e-3
