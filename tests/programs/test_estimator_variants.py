"""Small Estimator programs: migrated, run together, compared with TensorFlow 1.15.5's results."""

from __future__ import annotations

import pathlib
import sys

import pytest

from tests.programs import variants
from tests.programs.variants import VARIANTS, Found, Variant


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    return Found(tmp_path_factory.mktemp("variants"))


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.name)
def test_equals_tensorflow_1_15_5(variant: Variant, found: Found) -> None:
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


def test_weights_that_a_scaffold_does_not_restore_are_seen(
    tmp_path: pathlib.Path,
) -> None:
    (variant,) = (v for v in variants.EVERY if v.name == "scaffolds")
    variants.migrated((variant,), tmp_path / "programs")
    path = tmp_path / "programs" / variant.path.name
    text = path.read_text()
    assert "Scaffold(init_fn=init_fn)" in text and "Saver(max_to_keep=2)" in text
    text = text.replace("Scaffold(init_fn=init_fn)", "Scaffold()")
    path.write_text(text.replace("Saver(max_to_keep=2)", "Saver(max_to_keep=3)"))
    found = variants.run(
        (variant,), sys.executable, tmp_path / "programs", tmp_path / "run", True
    )
    rows = variants.differences(variant, variants.recorded(), found)
    assert rows["scaffolds/trunk"] > 1e-3
    assert rows["scaffolds/kept"] > 0


def test_gates_of_keras_2_are_seen(tmp_path: pathlib.Path) -> None:
    (variant,) = (v for v in VARIANTS if v.name == "keras_inside")
    variants.migrated((variant,), tmp_path / "programs")
    path = tmp_path / "programs" / variant.path.name
    text = path.read_text()
    assert '"hard_sigmoid"' in text
    path.write_text(text.replace('"hard_sigmoid"', '"sigmoid"'))
    found = variants.run(
        (variant,), sys.executable, tmp_path / "programs", tmp_path / "run", True
    )
    rows = variants.differences(variant, variants.recorded(), found)
    assert max(rows.values()) > 100 * variant.tolerance


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # The learning phase of the training before is the evaluation's.
        ("_DUMMY_EAGER_GRAPH.key, None)", "get_graph(), None)"),
        # A network of inputs to come is made outside of its scope: other names.
        ("\n_open_their_scopes()\n", "\n"),
    ],
)
def test_other_networks_of_keras_are_seen(
    old: str, new: str, tmp_path: pathlib.Path
) -> None:
    (variant,) = (v for v in VARIANTS if v.name == "networks")
    fault = ("estimator_loop/networks.py", old, new)
    variants.migrated((variant,), tmp_path / "programs", fault)
    found = variants.run(
        (variant,), sys.executable, tmp_path / "programs", tmp_path / "run", True
    )
    rows = variants.differences(variant, variants.recorded(), found)
    assert max(rows.values()) > 100 * variant.tolerance


def test_weights_that_an_export_does_not_have_are_seen(tmp_path: pathlib.Path) -> None:
    (variant,) = (v for v in VARIANTS if v.name == "tables")
    restored = "saver.restore(session, checkpoint_path)"
    drawn = "session.run(v1.global_variables_initializer())"
    fault = ("estimator_loop/export.py", restored, drawn)
    variants.migrated((variant,), tmp_path / "programs", fault)
    found = variants.run(
        (variant,), sys.executable, tmp_path / "programs", tmp_path / "run", True
    )
    rows = variants.differences(variant, variants.recorded(), found)
    seen = {name for name, value in rows.items() if value > 100 * variant.tolerance}
    assert {name.split("/")[1] for name in seen} == {"answer", "bag"}
