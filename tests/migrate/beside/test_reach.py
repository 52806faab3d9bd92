"""Checks that the modules beside a program have what it reaches, and little more."""

from __future__ import annotations

import ast
import functools
import pathlib
import subprocess
import sys

import pytest

from migrate import emitted
from migrate.beside import files
from migrate.beside.reach import Closure
from migrate.beside.remains import write_remains
from migrate.beside.units import find_top, read_file

ROOT = pathlib.Path(__file__).parents[3]
PROGRAMS = sorted((ROOT / "reference").glob("*/tf2.py"))


def public() -> list[str]:
    """All that a program can name of the emitted modules: "training_session.Saver"."""
    found = []
    for module in sorted(emitted.list_modules()):
        known = read_file(find_top(module))
        package = len(emitted.list_files(module)) > 1
        ours = [name for name, one in known.imports.items() if one.module and package]
        bound = [*known.definitions, *ours]
        found += [f"{module}.{name}" for name in bound if not name.startswith("_")]
    return found


def _program(name: str) -> str:
    return f"import {name.partition('.')[0]}\n\nprint({name})\n"


def _wrong(directory: pathlib.Path) -> str:
    """Returns the findings of ruff and its formatter below a directory."""
    settings = ["--config", str(ROOT / "pyproject.toml"), "--no-cache", "-q"]
    commands = (
        ["check", *settings, "--select", "F,E9,I"],
        ["format", *settings, "--check"],
    )
    return "".join(
        subprocess.run(
            [sys.executable, "-m", "ruff", *command, str(directory)],
            capture_output=True,
            text=True,
        ).stdout
        for command in commands
    )


def test_all_of_a_module_is_the_module() -> None:
    for module in emitted.list_modules():
        closure = Closure()
        names = emitted.list_files(module)
        if module == "training_session":  # Some statements are for these modules alone.
            names += ("graph_variables.py", "plain_session.py")
        for name in names:
            closure.add_file(name, emitted.read_source(name).decode())
        reached = closure.find_reached()
        for name in emitted.list_files(module):
            assert write_remains(name, reached) == emitted.read_source(name), name


def test_what_remains_names_what_it_has(tmp_path: pathlib.Path) -> None:
    """For every name of every module alone, and for every program of the suite."""
    every = {name: _program(name) for name in public()}
    every |= {path.parent.name: path.read_text() for path in PROGRAMS}
    for name, text in every.items():
        directory = tmp_path / name
        directory.mkdir()
        files.write(directory, text)
        _imports_exist(directory)
    assert not _wrong(tmp_path)
    # A control: with an import that nothing needs.
    path = tmp_path / "training_session.Saver" / "training_session" / "checkpoints.py"
    path.write_text(path.read_text() + "\n\nimport os\n")
    assert "checkpoints.py" in _wrong(tmp_path)


def _imports_exist(directory: pathlib.Path) -> None:
    """Each name that a file takes from another one is there."""
    found = {path: _names(path.read_bytes()) for path in directory.rglob("*.py")}
    for path, (_, taken) in found.items():
        for module, name in taken if path.parent != directory else ():
            other = path.with_name(f"{module or name}.py")
            assert other in found, (path, other)
            assert not module or name in found[other][0], (path, name)


@functools.cache
def _names(data: bytes) -> tuple[set[str], list[tuple[str, str]]]:
    """Returns the names that a file binds, and those it imports from its package."""
    bound: set[str] = set()
    taken = []
    for node in ast.walk(ast.parse(data)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            bound.add(node.name)
        elif isinstance(node, ast.alias):
            bound.add(node.asname or node.name)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound.add(node.id)
        elif isinstance(node, ast.ImportFrom) and node.level == 1:
            taken += [(node.module or "", alias.name) for alias in node.names]
    return bound, taken


def test_what_was_written_tells_what_is_needed(tmp_path: pathlib.Path) -> None:
    """So a package on the disk is kept as it is, and one sees what its user changed."""
    for number, name in enumerate(public()[::7]):
        directory = tmp_path / str(number)
        directory.mkdir()
        files.write(directory, _program(name))
        there = files.find_present(directory)
        assert there == files.collect_files(_program(name))
        assert all(files.is_unchanged(file, directory) for file in there), name


@pytest.mark.parametrize(
    "text, kept, gone",
    [
        (
            "import training_session\ntraining_session.Saver().save",
            ["def save(", "class Saver"],
            ["def last_checkpoints(", "class Scaffold"],
        ),
        (
            "from training_session import Saver as S\nS()",
            ["class Saver"],
            ["def last_checkpoints(", "class Scaffold"],
        ),
        (
            "from package import training_session as t\ngetattr(t.Saver(), 'last_checkpoints')",
            ["def last_checkpoints("],
            ["class Scaffold"],
        ),
        ("from training_session import *", ["class Saver", "class Scaffold"], []),
        (
            "import training_session\nuse(training_session)",
            ["class Saver", "class Scaffold"],
            [],
        ),
        (  # No Python: every word may be a name.
            "!pip install x\nimport training_session\ntraining_session.Scaffold()",
            ["class Scaffold"],
            [],
        ),
    ],
)
def test_how_a_program_names_what_it_uses(
    text: str, kept: list[str], gone: list[str]
) -> None:
    found = files.collect_files(text)["training_session/checkpoints.py"].decode()
    assert [part for part in kept if part not in found] == []
    assert [part for part in gone if part in found] == []


def test_a_name_that_two_modules_have_is_the_one_that_is_named() -> None:
    found = files.collect_files(
        "import training_session\ntraining_session.SessionRunArgs"
    )
    assert not [name for name in found if name.startswith("estimator_loop")]


def test_a_file_that_was_given_an_object_counts() -> None:
    """A program of two files: one makes the object, the other one calls its method."""
    makes = "import training_session\n\nsaver = training_session.Saver()\n"
    calls = "from made import saver\n\nsaver.recover_last_checkpoints([])\n"
    name, method = "training_session/checkpoints.py", b"def recover_last_checkpoints("
    assert method not in files.collect_files(makes)[name]
    assert method in files.collect_files(makes, calls)[name]
    # It may also have the module from the other file.
    handed_on = "from made import training_session\n\ntraining_session.Scaffold()\n"
    assert b"class Scaffold" in files.collect_files(makes, handed_on)[name]


def test_what_a_module_does_when_it_is_loaded_stays() -> None:
    """Patches of Keras, whichever part of the package a program names."""
    found = files.collect_files("import estimator_loop\nestimator_loop.EstimatorSpec")
    assert b"\n_open_their_scopes()\n" in found["estimator_loop/networks.py"]
    assert b"\n_penalise_once()\n" in found["estimator_loop/variables.py"]
    # What only completes a class goes with it.
    found = files.collect_files("import training_session\ntraining_session.NO_SEED")
    assert "training_session/workers.py" not in found


def test_what_is_imported_where_it_is_called_for() -> None:
    found = files.collect_files(
        "import estimator_loop\nestimator_loop.tpu.TPUEstimator"
    )
    assert b"def strategy_of(" in found["estimator_tpu.py"]
    # Of some the program has them anyway, or does without.
    found = files.collect_files("import estimator_loop\nestimator_loop.Estimator")
    assert "estimator_strategies.py" not in found
    found = files.collect_files(
        "import estimator_loop as e, estimator_strategies\ne.Estimator"
    )
    assert b"class LocalReplicas" in found["estimator_strategies.py"]
    images = "import mnist_input_data\nmnist_input_data.read_data_sets\n"
    assert set(files.collect_files(images)) == {"mnist_input_data.py"}
    found = files.collect_files(
        images, "import training_session\ntraining_session.Saver"
    )
    assert b"\nnumpy_random = " in found["training_session/workers.py"]


def test_the_table_of_a_package_has_the_files_that_are_written() -> None:
    found = files.collect_files("import training_session\ntraining_session.NO_SEED")
    first = found["training_session/__init__.py"].decode()
    assert "replicas          what" not in first
    assert set(found) == {
        "training_session/__init__.py",
        "training_session/variables.py",
    }
