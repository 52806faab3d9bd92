"""Loops that make layers and variables in scopes, compared with TensorFlow 1.15.5.

On TensorFlow 2.15.1 too, and from a checkpoint that TensorFlow 1.15.5 has saved.
"""

from __future__ import annotations

import pathlib
import sys

import numpy as np
import pytest

from migrate.compiler import migrate_text
from reference import checkpoints, environment, processes, runner
from reference.environment import TF215
from tests.programs import scoped_programs, variants
from tests.programs.scoped_programs import (
    EVERY,
    PROGRAMS,
    RESUMED,
    SAVED,
    SAVED_STEP,
)
from tests.programs.variants import FAITHFUL, Found, Variant


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    return Found(tmp_path_factory.mktemp("scoped"))


@pytest.mark.parametrize("program", EVERY, ids=lambda p: p.name)
def test_becomes_a_keras_model(program: Variant) -> None:
    migration = migrate_text(program.path.read_text(), FAITHFUL)
    codes = {f.code for f in migration.findings}
    assert "K101" in codes and "K110" not in codes
    for gone in ("ModeKeys", "get_variable(", "variable_scope", "tf.device"):
        assert gone not in migration.text


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_equals_tensorflow_1_15_5(program: Variant, found: Found) -> None:
    wrong = variants.beyond_tolerance(program, scoped_programs.recorded(), found)
    assert not wrong, f"allowed {program.tolerance}: {program.reason}"


def test_a_scope_that_is_left_out_of_names_is_seen(tmp_path: pathlib.Path) -> None:
    (program,) = (p for p in PROGRAMS if p.name == "text_cnn")
    variants.migrated((program,), tmp_path / "programs")
    written = tmp_path / "programs" / program.path.name
    text = written.read_text()
    assert '"conv-%s/conv1d" % size' in text
    written.write_text(text.replace('"conv-%s/conv1d" % size', '"conv1d_%s" % size'))
    found = variants.run(
        (program,), sys.executable, written.parent, tmp_path / "run", True
    )
    assert (
        float("inf")
        in variants.beyond_tolerance(
            program, scoped_programs.recorded(), found
        ).values()
    )


def test_a_variable_that_does_not_train_is_seen(tmp_path: pathlib.Path) -> None:
    (program,) = (p for p in PROGRAMS if p.name == "text_filters")
    fault = (
        "keras_estimator/layers.py",
        "return tf.convert_to_tensor(self._value)",
        "return 0.9 * self._value + 0.1 * tf.stop_gradient(self._value)",
    )
    wrong = variants.beyond_tolerance(
        program,
        scoped_programs.recorded(),
        variants.migrated_and_run((program,), tmp_path, fault),
    )
    assert max(wrong.values()) > 1e-3


def _resumed(work: pathlib.Path, fault: tuple[str, str, str] | None = None) -> float:
    """The largest difference where training goes on from TensorFlow 1.15.5's checkpoint."""
    model = work / "run" / RESUMED.name
    checkpoints.copy(checkpoints.files(SAVED, SAVED_STEP), model)
    variants.migrated((RESUMED,), work / "programs", fault)
    source, run = work / "programs", work / "run"
    processes.run_tasks(
        sys.executable,
        variants.HERE / "run.py",
        [],
        run,
        ps=0,
        workers=1,
        environment=runner.ENVIRONMENT,
        timeout=300,
        command_line=lambda *task: [str(source), str(run), RESUMED.name],
        preloaded=True,
    )
    with np.load(run / "results.npz") as archive:
        found = {name: archive[name] for name in archive.files}
    expected = {
        name: value
        for name, value in scoped_programs.recorded().items()
        if not name.startswith(f"{RESUMED.name}/before/")
    }
    return max(variants.differences(RESUMED, expected, found).values())


def test_layers_without_names_have_those_of_old_checkpoints(
    tmp_path: pathlib.Path,
) -> None:
    values = checkpoints.read(SAVED)
    assert values["global_step"] == SAVED_STEP
    assert {"user/dense/kernel", "user/dense_3/kernel/Adam"} <= set(values)
    assert {"item/fully_connected_1/weights", "item/dense/bias"} <= set(values)
    assert _resumed(tmp_path) <= RESUMED.tolerance, RESUMED.reason


def test_another_number_is_seen(tmp_path: pathlib.Path) -> None:
    fault = (
        "keras_estimator/layers.py",
        "before = tf_keras.backend.get_uid(name) - 1",
        "before = tf_keras.backend.get_uid(name)",
    )
    with pytest.raises(processes.TasksFailed, match="user/dense_4/kernel"):
        _resumed(tmp_path, fault)


@pytest.fixture(scope="module")
def on_tf215(tmp_path_factory: pytest.TempPathFactory) -> Found:
    if (
        environment.find(TF215) is None
        and next(environment.pythons(TF215), None) is None
    ):
        wanted = " or ".join(TF215.pythons)
        pytest.skip(f"no Python {wanted} to run TensorFlow 2.15.1 ({TF215.option})")
    python = str(environment.make(TF215))
    return Found(
        tmp_path_factory.mktemp("tf215"),
        lambda program, at: variants.migrated_and_run((program,), at, python=python),
    )


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_equals_tensorflow_1_15_5_on_tensorflow_2_15_1(
    program: Variant, on_tf215: Found
) -> None:
    wrong = variants.beyond_tolerance(program, scoped_programs.recorded(), on_tf215)
    assert not wrong, f"allowed {program.tolerance}: {program.reason}"
