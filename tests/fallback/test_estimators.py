"""Estimators in graph mode on this TensorFlow compute what TensorFlow 1.15.5 computed.

The fallback is for what is refused; here it is given the suite's programs with Estimators,
because all of them were recorded under TensorFlow 1.15.5. They train by the package
tensorflow-estimator, which the program's `graph_estimators` makes ready.
"""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Sequence

import numpy as np
import pytest

from migrate.beside import files as beside
from migrate.fallback.module import TOLD, Part, bring_to_compat, names_compat, says_tf1
from migrate.options import Options
from reference import checkpoints, processes, runner
from reference.compare import Array
from tests.programs import estimator_clusters, estimator_tpus, variants
from tests.programs.variants import Variant

_SECONDS = 900
pytestmark = pytest.mark.timeout(_SECONDS)
# What a program takes that the package does not have, and the fallback refuses.
REFUSED = {
    "experiments": "tf.contrib.learn.Experiment",
    "extended": "tf.contrib.estimator.clip_gradients_by_norm",
    "model_class": "tf.contrib.distribute.AllReduceCrossDeviceOps",
    "more_heads": "tf.contrib.estimator.multi_label_head",
}
GROUPS = {
    "variants": variants.VARIANTS,
    "idioms": variants.IDIOMS,
    "each": variants.EACH,
    "devices": variants.DEVICES,
}
# Name -> a variant, the file of it or beside it, and what is wrong there.
FAULTS = {
    "another_rate": ("hooks", "hooks.py", "0.1", "0.11"),
    "a_sum_for_a_mean": ("heads", "graph_heads.py", "SUM_OVER_BATCH_SIZE", "SUM"),
    "another_loss": (
        "canned",
        "graph_heads.py",
        "(labels, logits, compute",
        "(labels, 2 * logits, compute",
    ),
}


def _bring(path: pathlib.Path, directory: pathlib.Path) -> pathlib.Path:
    """Writes a program in graph mode."""
    text = path.read_text()
    part = Part(named_for_2=names_compat(text) and not says_tf1(text))
    found = bring_to_compat(text, Options(), str(path), part)
    assert not [f for f in found.findings if f.code not in TOLD], found.findings
    directory.mkdir(parents=True, exist_ok=True)
    program = directory / path.name
    program.write_text(found.text)
    return program


def _run(
    programs: Sequence[Variant], work: pathlib.Path, *fault: str
) -> dict[str, Array]:
    for program in programs:
        _bring(program.path, work / "programs")
    texts = [path.read_text() for path in (work / "programs").glob("*.py")]
    beside.write(work / "programs", *texts)
    if fault:
        name, old, new = fault
        text = (work / "programs" / name).read_text()
        assert old in text
        (work / "programs" / name).write_text(text.replace(old, new))
    return variants.run(
        tuple(programs), sys.executable, work / "programs", work / "run", False
    )


@pytest.mark.parametrize("group", GROUPS)
def test_programs_equal_tensorflow_1_15_5(group: str, tmp_path: pathlib.Path) -> None:
    programs = [one for one in GROUPS[group] if one.name not in REFUSED]
    found, expected = _run(programs, tmp_path), variants.recorded()
    wrong = {
        name: value
        for program in programs
        for name, value in variants.beyond_tolerance(program, expected, found).items()
    }
    assert not wrong


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_seen(name: str, tmp_path: pathlib.Path) -> None:
    which, *fault = FAULTS[name]
    (program,) = (one for one in variants.EVERY if one.name == which)
    rows = variants.differences(
        program, variants.recorded(), _run([program], tmp_path, *fault)
    )
    assert max(rows.values()) > 100 * program.tolerance


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_package_does_not_have_is_refused(name: str) -> None:
    (program,) = (one for one in variants.EVERY if one.name == name)
    text = program.path.read_text()
    found = bring_to_compat(text, Options(), str(program.path), Part())
    assert found.text == text
    assert REFUSED[name] in {f.symbol for f in found.findings}


# -- TPUEstimator ----------------------------------------------------------------------


@pytest.mark.parametrize("kind", estimator_tpus.KINDS)
def test_a_tpu_estimator_without_a_tpu(kind: str, tmp_path: pathlib.Path) -> None:
    """Its input_fn and model_fn read `params["batch_size"]`."""
    expected = estimator_tpus.recorded(kind)
    found = _train_tpu_estimator(kind, tmp_path)
    compared = [name for name in expected if not name.startswith("initial/")]
    assert sorted(found) == sorted(compared)
    # Values below 10 after 20 steps; newer Eigen rounds square roots otherwise.
    for name in compared:
        np.testing.assert_allclose(found[name], expected[name], rtol=0, atol=5e-6)
    # A fault: another rate.
    other = _train_tpu_estimator(kind, tmp_path / "faulty", "0.02", "0.021")
    assert np.max(np.abs(other["y"] - expected["y"])) > 1e-3


def _train_tpu_estimator(
    kind: str, work: pathlib.Path, old: str = "", new: str = ""
) -> dict[str, Array]:
    """Trains the program from TensorFlow 1.15.5's initial values."""
    program = _bring(estimator_tpus.PROGRAM, work / "program")
    if old:
        assert old in program.read_text()
        program.write_text(program.read_text().replace(old, new))
    beside.write(program.parent, program.read_text())
    start = {
        name.partition("/")[2]: value
        for name, value in estimator_tpus.recorded(kind).items()
        if name.startswith("initial/")
    }
    checkpoints.write(work / "model", start, 0)
    processes.run_program(
        [sys.executable, program, f"--dir={work}", f"--kind={kind}"],
        environment=runner.ENVIRONMENT,
        directory=work,
    )
    with np.load(work / "results.npz") as archive:
        return {name: archive[name] for name in archive.files}


# -- clusters --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, fault",
    [
        ("taken_in_turn", ("LinearClassifier(columns", "LinearClassifier(columns[:1]")),
        ("parts_in_turn", ("FtrlOptimizer(0.2)", "FtrlOptimizer(0.21)")),
        ("sync_workers", ("", "")),
    ],
)
def test_tasks_of_tf_config(
    name: str, fault: tuple[str, str], tmp_path: pathlib.Path
) -> None:
    """A chief, a worker and a parameter server, as RunConfig reads TF_CONFIG."""
    expected = estimator_clusters.recorded(name)
    found = _train_cluster(name, tmp_path / "right")
    assert set(found) == set(expected)
    for key in expected:
        # Either worker may have been at a step when the other made the last.
        length = min(len(found[key]), len(expected[key]))
        assert length >= 8
        np.testing.assert_allclose(
            found[key][:length], expected[key][:length], rtol=0, atol=2e-6
        )
    if fault[0]:
        other = _train_cluster(name, tmp_path / "wrong", *fault)["losses"][:20]
        assert np.max(np.abs(other - expected["losses"][:20])) > 1e-4
    else:  # A worker's own gradients would give other losses.
        assert np.max(np.abs(found["losses-0"] - found["losses-1"])) > 1e-2


def test_a_strategy_over_several_tasks_says_that_it_cannot(
    tmp_path: pathlib.Path,
) -> None:
    with pytest.raises(processes.TasksFailed, match="by a strategy over several tasks"):
        _train_cluster("collective_strategies", tmp_path)


def _train_cluster(
    name: str, work: pathlib.Path, old: str = "", new: str = ""
) -> dict[str, Array]:
    which = estimator_clusters.RUNS[name]
    source = estimator_clusters.HERE / f"{which.program}.py"
    program = _bring(source, work / "program")
    if old:
        assert program.read_text().count(old) == 1
        program.write_text(program.read_text().replace(old, new))
    beside.write(program.parent, program.read_text())
    return estimator_clusters.run(
        sys.executable,
        program,
        work / "run",
        arguments=which.arguments,
        ps=which.ps,
        preloaded=False,
    )
