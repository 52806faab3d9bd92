"""Networks of variables as subclassed Keras models, compared with TensorFlow 1.15.5.

In one process, on two devices, as the tasks of clusters, and on TensorFlow 2.15.1 too;
and from a checkpoint that TensorFlow 1.15.5 has saved.
"""

from __future__ import annotations

import json
import pathlib
import sys
from collections.abc import Mapping

import numpy as np
import pytest

from migrate.compiler import migrate_text
from reference import checkpoints, environment, processes, runner
from reference.compare import Array
from reference.environment import TF215
from tests.programs import keras_programs, subclassed_programs, variants
from tests.programs.subclassed_programs import (
    DEVICES,
    EVERY,
    PROGRAMS,
    RESUMED,
    SAVED,
    SAVED_STEP,
)
from tests.programs.variants import FAITHFUL, Found, Variant

_WIDE_DEEP = DEVICES[0]


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return tmp_path_factory.mktemp("subclassed")


@pytest.fixture(scope="module")
def found(work: pathlib.Path) -> Found:
    return Found(work)


@pytest.mark.parametrize("program", EVERY, ids=lambda p: p.name)
def test_becomes_a_keras_model(program: Variant) -> None:
    migration = migrate_text(program.path.read_text(), FAITHFUL)
    codes = {f.code for f in migration.findings}
    assert "K101" in codes and "K110" not in codes
    assert "ModeKeys" not in migration.text and "get_variable(" not in migration.text


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_equals_tensorflow_1_15_5(program: Variant, found: Found) -> None:
    wrong = variants.beyond_tolerance(program, subclassed_programs.recorded(), found)
    assert not wrong, f"allowed {program.tolerance}: {program.reason}"


def test_an_exported_model_answers_as_it_predicts(
    found: Found,
) -> None:
    (program,) = (p for p in PROGRAMS if p.name == "factors")
    scores = found.of(program)["factors/prob"]
    import tensorflow as tf

    (exported,) = (found.directory(program) / "run/factors/export").iterdir()
    answer = tf.saved_model.load(str(exported)).signatures["serving_default"]
    rng = np.random.RandomState(2)  # The rows that the program predicts.
    ids, values = rng.randint(20, size=[64, 4]), rng.rand(64, 4)
    answers = answer(
        feat_ids=tf.constant(ids, tf.int64), feat_vals=tf.constant(values, tf.float32)
    )
    assert np.array_equal(answers["prob"], scores)


def test_two_devices_equal_tensorflow_1_15_5(tmp_path: pathlib.Path) -> None:
    expected, found = (
        subclassed_programs.recorded(),
        variants.migrated_and_run(DEVICES, tmp_path),
    )
    for program in DEVICES:
        wrong = variants.beyond_tolerance(program, expected, found)
        assert not wrong, f"allowed {program.tolerance}: {program.reason}"


def test_keras_2s_names_of_weights_are_seen(tmp_path: pathlib.Path) -> None:
    (program,) = (p for p in PROGRAMS if p.name == "contrib_tower")
    layers = "keras_estimator/contrib_layers.py"
    fault = (layers, '"kernel": "weights"', '"kernel": "kernel"')
    wrong = variants.beyond_tolerance(
        program,
        subclassed_programs.recorded(),
        variants.migrated_and_run((program,), tmp_path, fault),
    )
    assert float("inf") in wrong.values()


def test_a_biased_variance_is_seen(tmp_path: pathlib.Path) -> None:
    (program,) = (p for p in PROGRAMS if p.name == "contrib_tower")
    fault = (
        "keras_estimator/contrib_layers.py",
        "images = inputs[:, tf.newaxis, tf.newaxis, :]",
        "self.fused = False\n        images = inputs[:, tf.newaxis, tf.newaxis, :]",
    )
    wrong = variants.beyond_tolerance(
        program,
        subclassed_programs.recorded(),
        variants.migrated_and_run((program,), tmp_path, fault),
    )
    assert max(wrong.values()) > 1e-3


def test_hooks_that_watch_the_loss_in_place_of_others_are_seen(
    tmp_path: pathlib.Path,
) -> None:
    (program,) = (p for p in PROGRAMS if p.name == "hooked")
    fault = ("estimator_loop/callbacks.py", "observed[key] for", 'observed["loss"] for')
    wrong = variants.beyond_tolerance(
        program,
        subclassed_programs.recorded(),
        variants.migrated_and_run((program,), tmp_path, fault),
    )
    assert set(wrong) == {
        f"hooked/train/{name}" for name in ("logits", "rate", "right")
    }


def _resumed(work: pathlib.Path, moved: str = "") -> dict[str, float]:
    """What differs where training goes on from TensorFlow 1.15.5's checkpoint.

    Args:
      moved: a variable of it to which something is added.
    """
    model = work / "run" / RESUMED.name
    checkpoints.copy(checkpoints.files(SAVED, SAVED_STEP), model)
    if moved:
        values = checkpoints.read(model)
        values[moved] = values[moved] + np.asarray(0.01, values[moved].dtype)
        checkpoints.write(model, values, SAVED_STEP)
    variants.migrated((RESUMED,), work / "programs")
    found = _run_in(work / "programs", work / "run")
    expected = {
        name: value
        for name, value in subclassed_programs.recorded().items()
        if not name.startswith(f"{RESUMED.name}/before/")
    }
    return variants.beyond_tolerance(RESUMED, expected, found)


def _run_in(source: pathlib.Path, work: pathlib.Path) -> dict[str, Array]:
    """What RESUMED finds in a directory that holds its model_dir already."""
    processes.run_tasks(
        sys.executable,
        variants.HERE / "run.py",
        [],
        work,
        ps=0,
        workers=1,
        environment=runner.ENVIRONMENT,
        timeout=300,
        command_line=lambda *task: [str(source), str(work), RESUMED.name],
        preloaded=True,
    )
    with np.load(work / "results.npz") as archive:
        return {name: archive[name] for name in archive.files}


def test_goes_on_from_tensorflow_1_15_5s_checkpoint(tmp_path: pathlib.Path) -> None:
    """Slots, the step that the rate follows, and moving averages included."""
    values = checkpoints.read(SAVED)
    assert values["global_step"] == SAVED_STEP and "table/Adam_1" in values
    wrong = _resumed(tmp_path)
    assert not wrong, f"allowed {RESUMED.tolerance}: {RESUMED.reason}"


def test_a_slot_that_was_not_restored_is_seen(tmp_path: pathlib.Path) -> None:
    wrong = _resumed(tmp_path, "table/Adam")
    assert wrong[f"{RESUMED.name}/after/table"] > 1e-3


# Clusters.


def _trained(work: pathlib.Path, ps: int, workers: int, fault: str = "") -> float:
    """Largest difference of a cluster's results from one process of TensorFlow 1.15.5.

    Args:
      fault: what the gradients' scale becomes.
    """
    variants.migrated((_WIDE_DEEP,), work / "programs")
    program = work / "programs" / f"{_WIDE_DEEP.name}.py"
    if fault:
        text = program.read_text()
        scale = " / self.distribute_strategy.num_replicas_in_sync"
        assert scale in text
        program.write_text(text.replace(scale, fault))

    def config(job: str, index: int, hosts: processes.Hosts) -> Mapping[str, str]:
        cluster = {
            "chief": [hosts.worker[0]],
            "worker": list(hosts.worker[1:]),
            "ps": list(hosts.ps),
        }
        task: dict[str, str | int] = {"type": "ps", "index": index}
        if job != "ps":
            task = {"type": "worker" if index else "chief", "index": max(index - 1, 0)}
        cluster = {name: tasks for name, tasks in cluster.items() if tasks}
        return {"TF_CONFIG": json.dumps({"cluster": cluster, "task": task})}

    def command_line(job: str, index: int, hosts: processes.Hosts) -> list[str]:
        run = work / ("run" if (job, index) == ("worker", 0) else f"{job}{index}")
        run.mkdir(exist_ok=True)
        if run.name != "run" and not (run / _WIDE_DEEP.name).exists():
            # Tasks have one model_dir.
            (run / _WIDE_DEEP.name).symlink_to(work / "run" / _WIDE_DEEP.name)
        return [str(program.parent), str(run), _WIDE_DEEP.name]

    (work / "run" / _WIDE_DEEP.name).mkdir(parents=True, exist_ok=True)
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
    with np.load(work / "run" / "results.npz") as archive:
        found = {name: archive[name] for name in archive.files}
    expected = subclassed_programs.recorded()
    assert {n for n in expected if n.startswith(f"{_WIDE_DEEP.name}/tasks/")} == set(
        found
    )
    return max(float(np.max(np.abs(expected[n] - found[n]))) for n in found)


def test_a_chief_and_a_parameter_server_train_as_one_process(
    tmp_path: pathlib.Path,
) -> None:
    assert _trained(tmp_path, ps=1, workers=1) <= _WIDE_DEEP.tolerance


def test_synchronous_workers_train_as_one_process(tmp_path: pathlib.Path) -> None:
    """Both read the same rows, and average their gradients."""
    assert _trained(tmp_path, ps=0, workers=2) <= _WIDE_DEEP.tolerance


def test_gradients_that_are_only_added_up_are_seen(tmp_path: pathlib.Path) -> None:
    assert _trained(tmp_path, ps=0, workers=2, fault=" / 1") > 1e-3


# TensorFlow 2.15.1, the oldest that the output promises to run on.


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


@pytest.mark.parametrize(
    "program", (*PROGRAMS, *keras_programs.PROGRAMS), ids=lambda p: p.name
)
def test_equals_tensorflow_1_15_5_on_tensorflow_2_15_1(
    program: Variant, on_tf215: Found
) -> None:
    expected = subclassed_programs.recorded() | keras_programs.recorded()
    wrong = variants.beyond_tolerance(program, expected, on_tf215)
    assert not wrong, f"allowed {program.tolerance}: {program.reason}"
