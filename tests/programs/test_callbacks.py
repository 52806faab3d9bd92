"""Hooks that become callbacks of Keras print what they printed under TensorFlow 1.15.5.

Called by an Estimator, and by `Model.fit`, `evaluate` and `predict`.
"""

from __future__ import annotations

import pathlib
import shutil
import sys

import pytest

from migrate.compiler import migrate_text
from reference.compare import Array
from tests.programs import callback_programs, variants
from tests.programs.callback_programs import HERE, PROGRAMS, CallbackProgram

_FITTED = CallbackProgram("fitted")
_OF_FIT = ("early_stopping", "progress_bar")
each_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)


def _program(name: str) -> CallbackProgram:
    (program,) = (p for p in PROGRAMS if p.name == name)
    return program


def _found(
    programs: tuple[CallbackProgram, ...],
    work: pathlib.Path,
    fault: tuple[str, str, str] | None = None,
) -> dict[str, Array]:
    """What the migrated programs find.

    Args:
      fault: (file, old, new): what is replaced in what is written.
    """
    source = work / "programs"
    variants.migrated(programs, source)
    if fault is not None:
        file, old, new = fault
        text = (source / file).read_text()
        assert old in text
        (source / file).write_text(text.replace(old, new))
    return variants.run(programs, sys.executable, source, work / "run", preloaded=True)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Array]:
    return _found(PROGRAMS, tmp_path_factory.mktemp("callbacks"))


@each_program
def test_hooks_become_callbacks(program: CallbackProgram) -> None:
    text = program.path.read_text()
    migration = migrate_text(text)
    codes = [f.code for f in migration.findings]
    assert "K101" in codes and "K110" not in codes
    stay = 3 if program.name == "staying" else 0
    assert codes.count("K131") == stay
    assert migration.text.count("(estimator_loop.SessionRunHook)") == stay
    hooks = text.count("(tf.train.SessionRunHook)")
    assert migration.text.count("(tf_keras.callbacks.Callback)") == hooks - stay


@each_program
def test_prints_what_tensorflow_1_15_5_printed(
    program: CallbackProgram, found: dict[str, Array]
) -> None:
    expected = callback_programs.recorded()[f"{program.name}/lines"]
    assert len(expected) > 3
    assert list(found[f"{program.name}/lines"]) == list(expected)


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        # A request to stop that nobody hears.
        ("early_stopping", ("estimator_loop/callbacks.py", '"train" and', '"never" and')),
        # One tensor in place of another.
        ("learning_rate", ("learning_rate.py", 'logs[self._loss], logs[self._rate]',
                           'logs[self._rate], logs[self._loss]')),
        # The global step before the update.
        ("examples_per_second", ("examples_per_second.py",
                                 "self._global_step_tensor.numpy()",
                                 "self._global_step_tensor.numpy() - 1")),
        # The end, after an error.
        ("nan_guard", ("training_session/session.py",
                       "issubclass(exception_type, quiet)", "True")),
        # The step that begins without a batch.
        ("progress_bar", ("estimator_loop/callbacks.py",
                          "isinstance(hook, (OwnHook, CallbackHook))", "False")),
        # The totals of metrics among the variables of a graph.
        ("staying", ("keras_estimator.py", "(_Keys.GLOBAL_VARIABLES, _saved(model))",
                     "(_Keys.GLOBAL_VARIABLES, model.weights)")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_a_fault_is_seen(
    name: str, fault: tuple[str, str, str], tmp_path: pathlib.Path
) -> None:
    expected = callback_programs.recorded()[f"{name}/lines"]
    found = _found((_program(name),), tmp_path, fault)[f"{name}/lines"]
    assert list(found) != list(expected)


def test_fit_evaluate_and_predict_call_them_as_well(tmp_path: pathlib.Path) -> None:
    programs = tuple(_program(name) for name in _OF_FIT)
    source = tmp_path / "programs"
    variants.migrated(programs, source)
    shutil.copy(_FITTED.path, source)
    found = variants.run(
        (_FITTED,), sys.executable, source, tmp_path / "run", preloaded=True
    )
    recorded = callback_programs.recorded()
    # TensorFlow 1 began a step of evaluation and prediction for which there was no batch.
    begun = {"evaluation: 4 of 8, 5": "4", "model: 4 of 4, 5": "4", "of 3, 4": "3"}
    expected = list(recorded["progress_bar/lines"])
    for told, count in begun.items():
        expected = [x.replace(told, told[:-1] + count) for x in expected]
    bars = list(found["fitted/bars"])
    assert bars == expected[: len(bars)] and len(bars) > 40
    # What is evaluated beside is another call of Keras.
    (*expected, evaluated) = recorded["early_stopping/lines"]
    assert evaluated.startswith("evaluated 80")
    assert list(found["fitted/stopped"]) == expected
