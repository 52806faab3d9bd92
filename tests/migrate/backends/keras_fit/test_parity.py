"""Programs that `Model.fit` trains, compared with what TensorFlow 1.15.5 computed."""

from __future__ import annotations

import pathlib
import sys
from types import ModuleType

import numpy as np
import pytest

from reference import checkpoints, measured
from reference.compare import Array
from tests.programs import (
    callback_programs,
    fitted,
    keras_parts,
    keras_programs,
    model_objects,
    scoped_programs,
    subclassed_programs,
    variants,
)
from tests.programs.fitted import (
    ALTERNATING,
    GUIDED,
    PAIRED,
    STEADY,
    Replacement,
    Script,
)
from tests.programs.variants import Variant

# What makes the program's own TF_CONFIG, and drops it: in a cluster, ours counts.
_OWN_CONFIG = (
    ("os.environ['TF_CONFIG'] = json.dumps(tf_config)\n", ""),
    ("del os.environ['TF_CONFIG']\n", ""),
)


def _run_script(
    script: Script,
    work: pathlib.Path,
    *changes: Replacement,
    ps: int = 0,
    workers: int = 1,
    server_lead: float = 0.0,
) -> dict[str, Array]:
    """Runs a migrated script from TensorFlow 1.15.5's step 0; returns its results."""
    if script is GUIDED and ps + workers > 1:
        changes = (*_OWN_CONFIG, *changes)
    program = fitted.migrate(script.path, work / "program", *changes)
    fitted.begin(script, work)
    return fitted.run(
        sys.executable, program, work, ps=ps, workers=workers, server_lead=server_lead
    )


def _largest_difference(script: Script, found: dict[str, Array]) -> float:
    """The largest difference of what was saved; infinite where TF1 saved other names."""
    expected = fitted.recorded(script)
    steps = {name.partition("/")[0] for name in found}
    same = {name for name in expected if name.partition("/")[0] in steps}
    if script is STEADY:  # It was recorded with more evaluations.
        same = {name for name in same if "/eval/" not in name or name in found}
    if set(found) != same:
        return float("inf")
    rows = [np.abs(found[n].astype(float) - expected[n].astype(float)) for n in found]
    largest = max(float(np.max(row)) for row in rows)
    measured.note(largest)
    return largest


def test_a_script_of_the_guides_shape(tmp_path: pathlib.Path) -> None:
    """The same operations in the same order: weights, slots and loss are bit-equal."""
    found = _run_script(GUIDED, tmp_path)
    assert {name.partition("/")[0] for name in found} == {"0", "4"}
    assert "4/eval/loss" in found and "4/dense/kernel/Adagrad" in found
    assert _largest_difference(GUIDED, found) == 0.0


@pytest.mark.parametrize(
    "change",
    [
        ("AdagradOptimizer(0.1)", "AdagradOptimizer(0.1001)"),
        ("variable.assign(tf.train.load_variable(path, name))", "pass"),
        (" + opt.optimizer.variables()", ""),
        ("(other_points, other_heights)", "(other_points, heights[:3])"),
    ],
    ids=["rate", "not-restored", "no-slots", "other-examples"],
)
def test_a_script_that_does_otherwise_is_seen(
    change: Replacement, tmp_path: pathlib.Path
) -> None:
    found = _run_script(GUIDED, tmp_path, change)
    assert _largest_difference(GUIDED, found) > 1e-6


def test_estimators_of_one_directory_go_on_from_each_other(
    tmp_path: pathlib.Path,
) -> None:
    """Whoever is trained or asked has what was saved last, as in TensorFlow 1."""
    found = _run_script(ALTERNATING, tmp_path)
    evaluated = {name for name in found if name.endswith("/eval/loss")}
    assert evaluated == {f"{step}/eval/loss" for step in (5, 10, 15, 20)}
    assert "20/predicted" in found and "20/dense/kernel/Momentum" in found
    # Eigen adds the products of a batch in another order: an ULP of values up to 8.
    assert _largest_difference(ALTERNATING, found) <= 1e-6


def test_a_model_that_keeps_its_own_values_is_seen(tmp_path: pathlib.Path) -> None:
    change = ("restore(self.model, self._dir).optimizer", "self.model.optimizer")
    found = _run_script(ALTERNATING, tmp_path, change)
    assert _largest_difference(ALTERNATING, found) > 1e-3
    change = ("fit_callbacks.restore(other, directory).evaluate", "other.evaluate")
    found = _run_script(ALTERNATING, tmp_path / "other", change)
    assert _largest_difference(ALTERNATING, found) > 1e-3


@pytest.mark.parametrize(
    "ps, workers", [(0, 1), (2, 3), (0, 2)], ids=["alone", "servers", "workers"]
)
def test_a_cluster_makes_the_steps_of_one_process(
    ps: int, workers: int, tmp_path: pathlib.Path
) -> None:
    """Each step has the same gradient: bit-equal whichever worker makes it.

    Two workers that keep pace add two halves, which is exact.
    """
    found = _run_script(STEADY, tmp_path, ps=ps, workers=workers)
    assert {name.partition("/")[0] for name in found} == {"0", "8", "16", "24"}
    assert {n for n in found if "/eval/" in n} == {
        f"{n}/eval/loss" for n in (8, 16, 24)
    }
    assert _largest_difference(STEADY, found) == 0.0


def test_parameter_servers_may_be_started_before_the_workers(
    tmp_path: pathlib.Path,
) -> None:
    """gRPC does not try a refused connection again at once; the steps wait until it has.

    Where they did not, 8 of 15 such trainings failed.
    """
    found = _run_script(STEADY, tmp_path, ps=2, workers=3, server_lead=3.0)
    assert _largest_difference(STEADY, found) == 0.0


@pytest.mark.parametrize("ps, workers", [(2, 3), (0, 2)], ids=["servers", "workers"])
def test_a_cluster_that_does_otherwise_is_seen(
    ps: int, workers: int, tmp_path: pathlib.Path
) -> None:
    change = ('{"rate": 0.125}', '{"rate": 0.1251}')
    found = _run_script(STEADY, tmp_path, change, ps=ps, workers=workers)
    assert _largest_difference(STEADY, found) > 1e-6


def test_each_worker_reads_the_input_to_its_end(tmp_path: pathlib.Path) -> None:
    """Three asynchronous workers make three times the four steps of the input."""
    found = _run_script(GUIDED, tmp_path, ps=2, workers=3)
    assert {name.partition("/")[0] for name in found} == {"0", "12"}
    assert np.isfinite(found["12/eval/loss"])
    # Slots add squares of gradients of 12 steps: more than TensorFlow 1's of 4.
    of_four = fitted.recorded(GUIDED)["4/dense/bias/Adagrad"]
    assert found["12/dense/bias/Adagrad"] > of_four


def test_an_input_that_is_read_by_one_worker_alone_is_seen(
    tmp_path: pathlib.Path,
) -> None:
    change = ("-(-tasks * sum(", "-(-1 * sum(")
    found = _run_script(GUIDED, tmp_path, change, ps=2, workers=3)
    assert {name.partition("/")[0] for name in found} == {"0", "4"}


def test_workers_that_keep_pace_read_the_same(tmp_path: pathlib.Path) -> None:
    found = _run_script(GUIDED, tmp_path, workers=2)
    assert _largest_difference(GUIDED, found) == 0.0


def test_each_device_takes_a_batch_of_its_own(tmp_path: pathlib.Path) -> None:
    """The mean of two means of three is exact here."""
    found = _run_script(PAIRED, tmp_path)
    assert {name.partition("/")[0] for name in found} == {"0", "3", "6", "9"}
    assert _largest_difference(PAIRED, found) == 0.0


def test_devices_that_share_a_batch_are_seen(tmp_path: pathlib.Path) -> None:
    creator = "tf_keras.utils.experimental.DatasetCreator(lambda context: input_fn())"
    found = _run_script(PAIRED, tmp_path, (creator, "input_fn()"))
    assert _largest_difference(PAIRED, found) > 1e-3


# -- programs of the suite -------------------------------------------------------------

# Programs with recordings of TensorFlow 1.15.5; their tolerances stand beside them.
_MODULES: dict[str, ModuleType] = {
    "by_mode": keras_programs,
    "iris": keras_programs,
    "plain_values": keras_programs,
    "twice": keras_programs,
    "argument_scopes": keras_parts,
    "columns_exported": keras_parts,
    "contrib_stacks": keras_parts,
    "inputs_bound_again": keras_parts,
    "numbered_blocks": keras_parts,
    "recurrent": keras_parts,
    "shared_layers": keras_parts,
    "variables_in_functions": keras_parts,
    "tasks": scoped_programs,
    "text_cnn": scoped_programs,
    "text_filters": scoped_programs,
    "crossing": subclassed_programs,
    "mixed": subclassed_programs,
    "early_stopping": callback_programs,
    "examples_per_second": callback_programs,
    "learning_rate": callback_programs,
    "logger": callback_programs,
    "frames": variants,
    "looked_at": variants,
    "queued": variants,
    "queued_method": variants,
    "mnist": model_objects,
    "networks": model_objects,
    "residual": model_objects,
}
_SCALED = "num_replicas_in_sync\n"
_GRADIENT = (
    _SCALED,
    "num_replicas_in_sync; scaled_loss = tf.math.log1p(scaled_loss)\n",
)
# What these print does not depend on their gradients.
_FAULTS = {
    "examples_per_second": ("steps_per_epoch=steps,", "steps_per_epoch=steps + 1,"),
}


def _find(name: str) -> Variant:
    module = _MODULES[name]
    programs = module.EVERY if module is variants else module.PROGRAMS
    (found,) = (program for program in programs if program.name == name)
    assert isinstance(found, Variant)
    return found


def _run_program(
    name: str, work: pathlib.Path, *changes: Replacement
) -> tuple[Variant, dict[str, float]]:
    """A program of the suite, and its differences by result."""
    program, module = _find(name), _MODULES[name]
    fitted.migrate(program.path, work / "program", *changes)
    if module is model_objects:  # It goes on from TensorFlow 1.15.5's checkpoints.
        found = model_objects.continued((program,), work / "program", work / "run")
    else:
        run = work / "run"
        found = variants.run((program,), sys.executable, work / "program", run, True)
    rows = variants.differences(program, module.recorded(), found)
    assert rows
    return program, rows


@pytest.mark.parametrize("module", [scoped_programs, subclassed_programs])
def test_it_goes_on_from_tensorflow_1s_checkpoint(
    module: ModuleType, tmp_path: pathlib.Path
) -> None:
    """Layers without names have those of the checkpoint; slots and averages go on."""
    rows, program = _continue(module, tmp_path)
    assert max(rows.values()) <= program.tolerance, program.reason


@pytest.mark.parametrize("module", [scoped_programs, subclassed_programs])
def test_values_that_are_not_continued_are_seen(
    module: ModuleType, tmp_path: pathlib.Path
) -> None:
    loaded = "tf.train.load_variable(path, name)"
    rows, program = _continue(module, tmp_path, (loaded, f"({loaded} * 0.9)"))
    assert max(rows.values()) > 10 * program.tolerance


def _continue(
    module: ModuleType, work: pathlib.Path, *changes: Replacement
) -> tuple[dict[str, float], Variant]:
    """The differences of a program that has TensorFlow 1.15.5's checkpoint already."""
    program: Variant = module.RESUMED
    files = checkpoints.files(module.SAVED, module.SAVED_STEP)
    checkpoints.copy(files, work / "run" / program.name)
    fitted.migrate(program.path, work / "program", *changes)
    run = work / "run"
    found = variants.run((program,), sys.executable, work / "program", run, True)
    expected = {
        name: value
        for name, value in module.recorded().items()
        if not name.startswith(f"{program.name}/before/")
    }
    return variants.differences(program, expected, found), program


@pytest.mark.parametrize("name", _MODULES)
def test_a_program_of_the_suite(name: str, tmp_path: pathlib.Path) -> None:
    program, rows = _run_program(name, tmp_path)
    wrong = {
        key: value for key, value in rows.items() if not value <= program.tolerance
    }
    assert not wrong, f"allowed {program.tolerance}: {program.reason}"


@pytest.mark.parametrize("name", _MODULES)
def test_another_gradient_is_seen(name: str, tmp_path: pathlib.Path) -> None:
    program, rows = _run_program(name, tmp_path, _FAULTS.get(name, _GRADIENT))
    assert max(rows.values()) > max(10 * program.tolerance, 1e-6)
