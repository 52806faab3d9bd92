"""Hooks that become callbacks of Keras print what they printed under TensorFlow 1.15.5.

Called by an Estimator, in one process and in clusters, and by `Model.fit`, `evaluate`
and `predict`.
"""

from __future__ import annotations

import json
import pathlib
import shutil
import sys
from collections.abc import Mapping

import numpy as np
import pytest

from migrate.compiler import migrate_text
from reference import processes, runner
from reference.compare import Array
from tests.programs import callback_programs, variants
from tests.programs.callback_programs import HERE, PROGRAMS
from tests.programs.variants import FAITHFUL, Found, Variant

_FITTED = Variant("fitted", 0.0, "it is only run", directory=HERE)
_OF_FIT = ("early_stopping", "progress_bar")
each_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)


def _program(name: str) -> Variant:
    (program,) = (p for p in PROGRAMS if p.name == name)
    return program


def _found(
    programs: tuple[Variant, ...],
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
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    work = tmp_path_factory.mktemp("callbacks")
    return Found(work, lambda program, at: _found((program,), at))


@each_program
def test_hooks_become_callbacks(program: Variant) -> None:
    text = program.path.read_text()
    migration = migrate_text(text, FAITHFUL)
    codes = [f.code for f in migration.findings]
    assert "K101" in codes and "K110" not in codes
    stay = 3 if program.name == "staying" else 0
    assert codes.count("K131") == stay
    assert migration.text.count("(estimator_loop.SessionRunHook)") == stay
    hooks = text.count("(tf.train.SessionRunHook)")
    assert migration.text.count("(tf_keras.callbacks.Callback)") == hooks - stay


@each_program
def test_prints_what_tensorflow_1_15_5_printed(program: Variant, found: Found) -> None:
    expected = callback_programs.recorded()[f"{program.name}/lines"]
    assert len(expected) > 3
    assert list(found.of(program)[f"{program.name}/lines"]) == list(expected)


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
        ("staying", ("keras_estimator/estimator.py", "(_Keys.GLOBAL_VARIABLES, saved(model))",
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
    variants.migrated(programs, source, readers=(_FITTED.path.read_text(),))
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


# Clusters.


def _in_cluster(work: pathlib.Path, ps: int, workers: int) -> dict[str, list[str]]:
    """What each task of a cluster prints that trains `early_stopping`."""
    name = "early_stopping"
    variants.migrated((_program(name),), work / "programs")

    def config(job: str, index: int, hosts: processes.Hosts) -> Mapping[str, str]:
        cluster = {
            "chief": [hosts.worker[0]],
            "worker": list(hosts.worker[1:]),
            "ps": list(hosts.ps),
        }
        task: dict[str, str | int] = {"type": "ps", "index": index}
        if job != "ps":
            task = {"type": "worker" if index else "chief", "index": max(index - 1, 0)}
        cluster = {kind: tasks for kind, tasks in cluster.items() if tasks}
        return {"TF_CONFIG": json.dumps({"cluster": cluster, "task": task})}

    def command_line(job: str, index: int, hosts: processes.Hosts) -> list[str]:
        run = work / f"{job}{index}"
        run.mkdir(exist_ok=True)
        if not (run / name).exists():
            (run / name).symlink_to(work / "model")  # Tasks have one model_dir.
        return [str(work / "programs"), str(run), name]

    (work / "model").mkdir(parents=True, exist_ok=True)
    processes.run_tasks(
        sys.executable,
        variants.HERE / "run.py",
        [],
        work,
        ps=ps,
        workers=workers,
        environment=runner.ENVIRONMENT,
        timeout=300,
        command_line=command_line,
        task_environment=config,
        preloaded=True,
    )
    found = {}
    for path in work.glob("*/results.npz"):
        with np.load(path) as archive:
            found[path.parent.name] = list(archive[f"{name}/lines"])
    return found


def _of_one_process() -> list[str]:
    """What TensorFlow 1.15.5 printed while it trained, in one process."""
    (*trained, _) = callback_programs.recorded()["early_stopping/lines"]
    return trained


def test_a_chief_with_a_parameter_server_stops_where_one_process_did(
    tmp_path: pathlib.Path,
) -> None:
    assert _in_cluster(tmp_path, ps=1, workers=1) == {"worker0": _of_one_process()}


def test_synchronous_workers_stop_together(tmp_path: pathlib.Path) -> None:
    found = _in_cluster(tmp_path, ps=0, workers=2)
    assert found == {"worker0": _of_one_process(), "worker1": _of_one_process()}


def test_asynchronous_workers_stop_each_for_itself(tmp_path: pathlib.Path) -> None:
    """Each has callbacks of its own, as it was a process with hooks of its own."""
    (lines,) = _in_cluster(tmp_path, ps=1, workers=2).values()
    counted = [line.split()[1:] for line in lines if line.startswith("counted")]
    assert len(counted) == 2 and all(before == after for before, after in counted)
    assert sum(line.startswith("best ") for line in lines) == 2
