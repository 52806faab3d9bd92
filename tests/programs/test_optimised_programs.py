"""Updates in scopes, and contrib's optimize_loss, compared with TensorFlow 1.15.5."""

from __future__ import annotations

import json
import pathlib
import sys
from collections.abc import Mapping

import numpy as np
import pytest

from migrate.compiler import migrate_text
from reference import checkpoints, processes, runner
from reference.compare import Array
from tests import ledger
from tests.programs import optimised_programs, variants
from tests.programs.optimised_programs import (
    CLUSTERED,
    EVERY,
    PROGRAMS,
    SAVED,
    SAVED_STEP,
    OptimisedProgram,
)
from tests.programs.variants import FAITHFUL, Found

each_program = pytest.mark.parametrize("program", EVERY, ids=lambda p: p.name)
each_resumed = pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
_OPTIMIZE_LOSS, _SCOPED = PROGRAMS


def _found(
    programs: tuple[OptimisedProgram, ...],
    work: pathlib.Path,
    fault: tuple[str, str] | None = None,
    python: str = sys.executable,
) -> dict[str, Array]:
    """What programs find.

    Args:
      fault: what is replaced, once, in what is written of them.
    """
    source = work / "programs"
    variants.migrated(programs, source)
    if fault is not None:
        _changed(source, *fault)
    return variants.run(
        programs, python, source, work / "run", python == sys.executable
    )


def _changed(source: pathlib.Path, old: str, new: str) -> None:
    (path,) = (p for p in source.glob("*.py") if old in p.read_text())
    assert path.read_text().count(old) == 1
    path.write_text(path.read_text().replace(old, new))


def _wrong(
    program: OptimisedProgram, found: dict[str, Array] | Found
) -> dict[str, float]:
    expected = optimised_programs.recorded()
    rows = variants.differences(program, expected, found)
    assert rows
    return {k: v for k, v in rows.items() if not v <= program.tolerance}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    return Found(tmp_path_factory.mktemp("optimised"))


@each_program
def test_becomes_a_keras_model(program: OptimisedProgram) -> None:
    migration = migrate_text(program.path.read_text(), FAITHFUL)
    codes = {f.code for f in migration.findings}
    assert "K101" in codes and "K110" not in codes
    assert "labels, mode" not in migration.text
    # A function that makes an update stays as it is: others may call it.
    assert migration.text.count("optimize_loss(") <= 1


@each_program
def test_equals_tensorflow_1_15_5(program: OptimisedProgram, found: Found) -> None:
    wrong = _wrong(program, found)
    assert not wrong, f"allowed {program.tolerance}: {program.reason}"


def _resumed(
    program: OptimisedProgram, work: pathlib.Path, moved: tuple[str, str] | None = None
) -> dict[str, float]:
    """What differs where training goes on from TensorFlow 1.15.5's checkpoints.

    Args:
      moved: a model_dir, and a variable of its checkpoint to which something is added.
    """
    for name in program.model_dirs:
        model_dir = work / "run" / program.name / name
        saved = SAVED / program.name / name
        checkpoints.copy(checkpoints.files(saved, SAVED_STEP), model_dir)
        if moved is not None and moved[0] == name:
            values = checkpoints.read(model_dir)
            values[moved[1]] = values[moved[1]] * np.float32(1.1)
            checkpoints.write(model_dir, values, SAVED_STEP)
    variants.migrated((program,), work / "programs")
    processes.run_tasks(
        sys.executable,
        variants.HERE / "run.py",
        [],
        work / "run",
        ps=0,
        workers=1,
        environment=runner.ENVIRONMENT,
        timeout=300,
        command_line=lambda *task: [
            *(str(work / "programs"), str(work / "run")),
            program.name,
        ],
        preloaded=True,
    )
    with np.load(work / "run" / "results.npz") as archive:
        return _wrong(program, {name: archive[name] for name in archive.files})


@each_resumed
def test_goes_on_from_tensorflow_1_15_5s_checkpoints(
    program: OptimisedProgram, tmp_path: pathlib.Path
) -> None:
    wrong = _resumed(program, tmp_path)
    assert not wrong, f"allowed {program.tolerance}: {program.reason}"


def test_with_a_parameter_server_variables_have_the_same_names(
    tmp_path: pathlib.Path,
) -> None:
    variants.migrated((CLUSTERED,), tmp_path / "programs")

    def config(job: str, index: int, hosts: processes.Hosts) -> Mapping[str, str]:
        cluster = {"chief": list(hosts.worker), "ps": list(hosts.ps)}
        task = {"type": "ps" if job == "ps" else "chief", "index": index}
        return {"TF_CONFIG": json.dumps({"cluster": cluster, "task": task})}

    def command_line(job: str, index: int, hosts: processes.Hosts) -> list[str]:
        run = tmp_path / job
        run.mkdir(exist_ok=True)
        return [str(tmp_path / "programs"), str(run), CLUSTERED.name]

    processes.run_tasks(
        sys.executable,
        variants.HERE / "run.py",
        [],
        tmp_path,
        ps=1,
        workers=1,
        environment=runner.ENVIRONMENT,
        timeout=300,
        command_line=command_line,
        task_environment=config,
        preloaded=True,
    )
    with np.load(tmp_path / "worker" / "results.npz") as archive:
        wrong = _wrong(CLUSTERED, {name: archive[name] for name in archive.files})
    assert not wrong, f"allowed {CLUSTERED.tolerance}: {CLUSTERED.reason}"


def test_the_rate_is_the_checkpoints() -> None:
    """TensorFlow 1.15.5 went on with 0.1, although the program said 0.7."""
    expected = optimised_programs.recorded()
    rate = expected["optimize_loss/named/variable/OptimizeLoss/learning_rate"]
    assert np.isclose(rate, 0.1)


def test_a_rate_and_a_slot_that_were_not_restored_are_seen(
    tmp_path: pathlib.Path,
) -> None:
    ledger.rests_on(ledger.COMPILER)
    moved = ("named", "OptimizeLoss/learning_rate")
    wrong = _resumed(_OPTIMIZE_LOSS, tmp_path / "rate", moved)
    assert wrong["optimize_loss/named/variable/dense/kernel"] > 1e-4
    moved = ("averaged", "optimizer/dense/kernel/Adam_1")
    wrong = _resumed(_SCOPED, tmp_path / "slot", moved)
    assert wrong["scoped/averaged/variable/dense/kernel"] > 1e-4


@pytest.mark.parametrize(
    ("program", "old", "new"),
    [
        (_OPTIMIZE_LOSS, "clip_by_global_norm(gradients, 0.25)", None),
        (_OPTIMIZE_LOSS, '"train/of_head/learning_rate"', '"of_head/learning_rate"'),
        (_OPTIMIZE_LOSS, 'startswith("head")', 'startswith("")'),
        (_SCOPED, 'with tf.compat.v1.variable_scope("train"):', "if True:"),
        (_SCOPED, 'with tf.name_scope("training_op"):', "if True:"),
    ],
)
def test_a_fault_is_seen(
    program: OptimisedProgram, old: str, new: str | None, tmp_path: pathlib.Path
) -> None:
    new = old.replace("0.25", "0.5") if new is None else new
    assert _wrong(program, _found((program,), tmp_path, (old, new)))


_MODEL_FN = """\
import tensorflow as tf


def model_fn(features, labels, mode, params):
  out = tf.layers.dense(features["x"], 1)
  loss = tf.losses.mean_squared_error(labels, out)
  step = tf.train.get_global_step()
  {}
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


tf.estimator.Estimator(model_fn, "/tmp/model", params={{"rate": 0.1}})
"""


@pytest.mark.parametrize(
    "update",
    [
        # What is not known, or not written out.
        'train_op = tf.contrib.layers.optimize_loss(loss, step, 0.1, params["by"])',
        'train_op = tf.contrib.layers.optimize_loss(loss, step, 1, "SGD")',
        'train_op = tf.contrib.layers.optimize_loss(loss, step, rate(), "SGD")',
        "train_op = tf.contrib.layers.optimize_loss(\n"
        '      loss, step, 0.1, "SGD", clip_gradients=params["clip"])',
        "train_op = tf.contrib.layers.optimize_loss(\n"
        '      loss, step, 0.1, "SGD", increment_global_step=False)',
        "train_op = tf.contrib.layers.optimize_loss(\n"
        '      loss, step, 0.1, "SGD", summaries=["gradients"])',
        # A variable that nothing reads is in the checkpoint for all that.
        "train_op = tf.contrib.layers.optimize_loss(\n"
        "      loss, step, 0.1, tf.train.AdamOptimizer(0.1))",
        # A scope that is named elsewhere, or by what is given.
        'with tf.name_scope("train"):\n    loss += 1.0\n'
        '  with tf.name_scope("train"):\n'
        "    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, step)",
        'with tf.variable_scope(params["scope"]):\n'
        "    train_op = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, step)",
    ],
)
def test_stays_a_model_fn(update: str) -> None:
    migration = migrate_text(_MODEL_FN.format(update))
    assert "def model_fn(features, labels, mode" in migration.text
    assert "K110" in {f.code for f in migration.findings}


@pytest.mark.parametrize(
    ("scope", "optimizer"),
    [
        # Nothing has a name of these.
        ('tf.variable_scope("train")', "tf.train.GradientDescentOptimizer(0.1)"),
        ('tf.name_scope("train")', "tf.train.MomentumOptimizer(0.1, 0.9)"),
        ("tf.variable_scope(tf.get_variable_scope())", "tf.train.AdamOptimizer(0.1)"),
    ],
)
def test_a_scope_that_names_nothing_goes(scope: str, optimizer: str) -> None:
    update = f"with {scope}:\n    train_op = {optimizer}.minimize(loss, step)"
    text = migrate_text(_MODEL_FN.format(update)).text
    assert "tf_keras.Model" in text and "scope(" not in text
