"""Mesh TensorFlow, in graph mode by the fallback, trains as it did under TensorFlow 1.15.5.

The library imports private names of TensorFlow, which TensorFlow 2.21 still has. Its core
and a program that uses it (`mesh_train.py`) are migrated together.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import sys

import pytest
from click.testing import CliRunner

from migrate import cli
from reference import processes
from tests import ledger
from tests.corpus import dependencies, packages

PROGRAM = pathlib.Path(__file__).with_name("mesh_train.py")
STEPS = 10
# One or two ULPs of a loss near 1.1 (1.2e-7): measured in five steps of ten. The fault
# below moves losses by 1e-3.
TOLERANCE = 3e-7


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The package's core and the program, as TF1 code."""
    (package,) = [p for p in packages.PACKAGES if p.name == "mesh-tensorflow"]
    work = tmp_path_factory.mktemp("mesh")
    try:
        found = packages.unpacked(package, work)
    except packages.Unavailable as error:
        pytest.skip(f"the package index cannot be reached: {error}")
    target = work / "tree"
    (target / "mesh_tensorflow").mkdir(parents=True)
    for path in found.joinpath("mesh_tensorflow").glob("*.py"):
        if not path.stem.endswith("_test"):
            shutil.copy(path, target / "mesh_tensorflow")
    shutil.copy(PROGRAM, target)
    return target


@pytest.fixture(scope="module")
def in_graph_mode(
    tree: pathlib.Path, tmp_path_factory: pytest.TempPathFactory
) -> pathlib.Path:
    target = tmp_path_factory.mktemp("in_graph_mode") / "tree"
    done = CliRunner().invoke(
        cli.main,
        ["migrate", str(tree), "--output", str(target), "--fallback", "compat"],
    )
    assert done.exit_code == 1, done.output  # Of warnings: the private names.
    assert "T117" in done.output and "runs through compat.v1" in done.output
    return target


def _losses(python: str, tree: pathlib.Path, besides: pathlib.Path) -> list[float]:
    log = tree.parent / f"{tree.name}.log"
    command = [python, str(tree / PROGRAM.name), f"--steps={STEPS}"]
    environment = {
        "PYTHONPATH": os.fspath(besides),
        "TF_ENABLE_ONEDNN_OPTS": "0",
        "TF_CPP_MIN_LOG_LEVEL": "2",
    }
    with processes.started(command, log, environment) as process:
        code = process.wait(300)
    text = log.read_text()
    assert code == 0, text[-3000:]
    return [float(x.split()[1]) for x in text.splitlines() if x.startswith("loss ")]


def test_losses_are_those_of_tensorflow_1(
    tree: pathlib.Path, in_graph_mode: pathlib.Path, tf1: str
) -> None:
    ledger.rests_on(ledger.COMPILER, pathlib.Path(__file__).parent)
    theirs = _losses(tf1, tree, dependencies.directory_for_tf1(tf1))
    besides = dependencies.directory()
    ours = _losses(sys.executable, in_graph_mode, besides)
    assert len(ours) == STEPS and len(set(ours)) == STEPS
    assert ours == pytest.approx(theirs, rel=0, abs=TOLERANCE)
    program = in_graph_mode / PROGRAM.name
    text = program.read_text()
    program.write_text(text.replace("learning_rate=0.05", "learning_rate=0.06"))
    try:
        faulty = _losses(sys.executable, in_graph_mode, besides)
    finally:
        program.write_text(text)
    assert faulty != pytest.approx(theirs, rel=0, abs=TOLERANCE)
