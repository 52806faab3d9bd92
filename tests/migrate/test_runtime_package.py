"""`--runtime package`: results import one installed package, and nothing stands beside them.

What is imported is the same code, which other tests prove; here it runs as a package.
"""

from __future__ import annotations

import ast
import pathlib
import shutil
import sys

import pytest
from click.testing import CliRunner

from migrate import cli, emitted
from migrate.compiler import migrate_text
from migrate.options import Options
from reference import oracle, runner
from reference.registry import SCENARIOS

ROOT = pathlib.Path(__file__).parents[2]
SUPPORT = ROOT / "migrate" / "support"
PACKAGE = Options(runtime="package")
# A cluster, ready-made Estimators, and towers of one process. The first run of each.
RUN = ("sparse_sync", "estimator_wide_deep", "in_graph_towers")
SESSION = """\
import tensorflow as tf

step = tf.train.get_or_create_global_step()
w = tf.Variable(1.0, name="w")
train = tf.train.GradientDescentOptimizer(0.1).minimize(w * w, global_step=step)
with tf.train.MonitoredTrainingSession(hooks=[tf.train.StopAtStepHook(3)]) as sess:
    while not sess.should_stop():
        sess.run(train)
"""
# What it becomes imports these.
MODULES = {"plain_session", "training_session"}


def _migrate(directory: pathlib.Path, *options: str) -> str:
    done = CliRunner().invoke(cli.main, ["migrate", str(directory), *options])
    assert done.exit_code == 0, done.output
    return done.output


def _imports(text: str) -> set[str]:
    """The emitted modules that a text imports, each from the package."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module == emitted.PACKAGE:
            found |= {alias.name for alias in node.names}
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names = {alias.name.partition(".")[0] for alias in node.names}
            assert not names & emitted.list_modules()
    return found


@pytest.mark.parametrize("name", SCENARIOS)
def test_all_that_is_emitted_is_imported_from_the_package(name: str) -> None:
    text = SCENARIOS[name].migrated.read_text()
    beside, package = migrate_text(text), migrate_text(text, PACKAGE)
    wanted = {emitted.find_module(name) for name in beside.support}
    assert _imports(package.text) <= wanted
    assert bool(_imports(package.text)) == bool(wanted)
    assert package.findings == beside.findings


def test_nothing_is_written_beside_programs_of_a_tree(tmp_path: pathlib.Path) -> None:
    for place in ("", "one", "one/two"):
        (tmp_path / place).mkdir(exist_ok=True)
        (tmp_path / place / "train.py").write_text(SESSION)
    output = _migrate(tmp_path, "--runtime", "package", "--write")
    files = {p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*.py")}
    assert files == {"train.py", "one/train.py", "one/two/train.py"}
    for file in files:
        assert _imports((tmp_path / file).read_text()) == MODULES
    assert "migrate/runtime" in output  # How to install it is one of the next steps.
    # Its own results are left as they are, whatever a later run is asked.
    for option in ("package", "beside"):
        assert "0 would change" in _migrate(tmp_path, "--runtime", option)


def test_a_notebook_imports_it_too(tmp_path: pathlib.Path) -> None:
    import nbformat

    cells = [nbformat.v4.new_code_cell(SESSION)]
    path = tmp_path / "train.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    _migrate(tmp_path, "--runtime", "package", "--write")
    assert [p.name for p in tmp_path.iterdir()] == ["train.ipynb"]
    source = "\n".join(c.source for c in nbformat.read(path, 4).cells)
    assert _imports(source) == MODULES


def test_the_project_says_so_once(tmp_path: pathlib.Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.tf1to2]\nruntime = "package"\n')
    (tmp_path / "train.py").write_text(SESSION)
    _migrate(tmp_path, "--write")
    assert _imports((tmp_path / "train.py").read_text()) == MODULES
    (tmp_path / "pyproject.toml").write_text('[tool.tf1to2]\nruntime = "wheel"\n')
    done = CliRunner().invoke(cli.main, ["migrate", str(tmp_path)])
    assert done.exit_code == 2 and "beside, package" in done.output


def test_the_package_is_built_of_the_files_that_are_written_otherwise() -> None:
    """`tests/package` builds and installs it."""
    if sys.version_info < (3, 11):
        pytest.skip("tomllib is new in Python 3.11")
    import tomllib

    project = ROOT / "migrate" / "runtime" / "pyproject.toml"
    built = tomllib.loads(project.read_text())["tool"]["hatch"]["build"]
    ((source, name),) = built["targets"]["wheel"]["force-include"].items()
    assert (project.parent / source).resolve() == SUPPORT
    assert name == emitted.PACKAGE


def _install(directory: pathlib.Path, old: str = "", new: str = "") -> None:
    """The package, as its wheel has it, where Python finds it; a text of it replaced."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(SUPPORT, directory / emitted.PACKAGE, ignore=ignored)
    changed = 0
    for path in directory.rglob("*.py") if old else ():
        text = path.read_text()
        changed += old in text
        path.write_text(text.replace(old, new))
    assert changed == bool(old)


def _train(
    name: str, number: int, directory: pathlib.Path, old: str = "", new: str = ""
) -> oracle.Divergence | None:
    """Finds where a program that imports the package differs from TensorFlow 1.15.5."""
    scenario = SCENARIOS[name]
    run = scenario.runs[number]
    place = directory / "program"
    place.mkdir()
    program = place / "program.py"
    program.write_text(migrate_text(scenario.migrated.read_text(), PACKAGE).text)
    _install(place, old, new)
    recording = oracle.recorded(scenario, run)
    found = runner.train(
        scenario,
        run,
        runner.tf2(),
        program,
        directory,
        initial=recording.initial,
        saved=oracle.saved(scenario, run),
    )
    return oracle.compare(scenario, run, recording.trace, found, same_processor=False)


@pytest.mark.parametrize("name", RUN)
def test_with_the_package_it_equals_tensorflow_1_15_5(
    name: str, tmp_path: pathlib.Path
) -> None:
    divergence = _train(name, 0, tmp_path)
    assert divergence is None, str(divergence)


def test_a_planted_fault_in_the_package_is_seen(tmp_path: pathlib.Path) -> None:
    scenario = SCENARIOS["sparse_sync"]
    fault = next(f for f in scenario.faults if f.name == "average over all workers")
    number = [run.name for run in scenario.runs].index(fault.run)
    assert _train("sparse_sync", number, tmp_path, fault.old, fault.new) is not None
