"""Checks that an interrupt leaves whole programs with --write, none with --output."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

from migrate import copies
from tests import ledger

pytestmark = pytest.mark.rests_on(ledger.COMPILER, ledger.ROOT / "tests" / "rules")
ROOT = pathlib.Path(copies.__file__).parents[1]
RULES = ROOT / "tests" / "rules"
# Programs, and what each has beside it.
PROGRAMS = {
    "a.py": (RULES / "T107_mnist.py", {"mnist_input_data.py"}),
    "b.py": (RULES / "H110.py", {"plain_session.py", "training_session"}),
    "c.py": (RULES / "E101.py", {"estimator_loop"}),
}
# Runs the command; interrupts it, as a user does, at one call of one function.
INTERRUPTED = """
import importlib, os, signal, sys
module, name, calls = sys.argv[1], sys.argv[2], int(sys.argv[3])
from migrate.cli import main
module = importlib.import_module(module)
original = getattr(module, name)

def interrupt(*arguments, **named):
    global calls
    calls -= 1
    if calls == 0:
        os.kill(os.getpid(), signal.SIGINT)
    return original(*arguments, **named)

setattr(module, name, interrupt)
main(sys.argv[4:])
"""
COPYING = ("migrate.copies", "_copy", 2)
WRITING = ("migrate.results", "write_program", 2)


def _interrupt(
    point: tuple[str, str, int], *arguments: object
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", INTERRUPTED, *map(str, [*point, *arguments])],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
    )


def _run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return _interrupt(("migrate.results", "write_program", -1), *arguments)


@pytest.fixture
def tree(tmp_path: pathlib.Path) -> pathlib.Path:
    directory = tmp_path / "tree"
    directory.mkdir()
    for name, (program, _) in PROGRAMS.items():
        (directory / name).write_bytes(program.read_bytes())
    return directory


def _read(root: pathlib.Path) -> dict[str, bytes]:
    return {
        p.relative_to(root).as_posix(): p.read_bytes()
        for p in root.rglob("*")
        if p.is_file()
    }


@pytest.mark.parametrize("point", [COPYING, WRITING])
@pytest.mark.parametrize("output", ["out", "deeper/out", "there"])
def test_a_copy_is_complete_or_not_there(
    point: tuple[str, str, int],
    output: str,
    tree: pathlib.Path,
    tmp_path: pathlib.Path,
) -> None:
    (tmp_path / "there").mkdir()
    before = _read(tmp_path)
    done = _interrupt(point, "migrate", tree, "--output", tmp_path / output)
    assert done.returncode == 2, done.stderr
    assert f"Nothing is written to {tmp_path / output}." in done.stderr
    assert "Interrupted" in done.stderr and "Traceback" not in done.stderr
    assert _read(tmp_path) == before
    assert {p.name for p in tmp_path.iterdir()} == {"tree", "there"}
    again = _run("migrate", tree, "--output", tmp_path / output)
    assert again.returncode == 0, again.stderr
    names = {p.name for p in (tmp_path / output).iterdir()}
    assert names == set(PROGRAMS).union(*(beside for _, beside in PROGRAMS.values()))
    left = {p.name for p in tmp_path.rglob(".tf1to2-*")}
    assert not left and _read(tree) == {
        name.removeprefix("tree/"): data
        for name, data in before.items()
        if name.startswith("tree/")
    }


def test_in_place_the_written_programs_are_whole_and_nothing_else_is_there(
    tree: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    before = _read(tree)
    done = _interrupt(WRITING, "migrate", tree, "--write")
    assert done.returncode == 2, done.stderr
    assert "Interrupted after 2 of 3 files" in done.stderr
    after = _read(tree)
    assert [name for name in before if after[name] == before[name]] == ["c.py"]
    # As if the two had been migrated alone: nothing of the third is there.
    (alone := tmp_path / "alone").mkdir()
    for name in ("a.py", "b.py"):
        (alone / name).write_bytes(before[name])
    assert _run("migrate", alone, "--write").returncode == 0
    assert after == {**_read(alone), "c.py": before["c.py"]}
    # What is left is done by the next run.
    assert _run("migrate", tree, "--write").returncode == 0
    assert (tree / "estimator_loop").is_dir()


def test_a_module_that_was_there_is_as_it_was(tree: pathlib.Path) -> None:
    """The first program's module is there already, and the others add nothing to it."""
    (tree / "b.py").rename(tree.parent / "b.py")
    assert _run("migrate", tree, "--write").returncode == 0
    before = _read(tree)
    (tree.parent / "b.py").rename(tree / "b.py")
    point = ("migrate.results", "_write_support", 1)
    done = _interrupt(point, "migrate", tree, "--write")
    assert done.returncode == 2, done.stderr
    after = _read(tree)  # The program was being written: it is whole.
    assert after["b.py"] != PROGRAMS["b.py"][0].read_bytes()
    assert {name: after[name] for name in before} == before


def test_what_a_killed_run_has_left_of_a_copy_is_removed(
    tree: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait(timeout=30)
    stage = tmp_path / f".tf1to2-{gone.pid}-0"
    stage.mkdir()
    (stage / "half.py").write_text("")
    assert _run("migrate", tree, "--output", tmp_path / "out").returncode == 0
    assert {p.name for p in tmp_path.iterdir()} == {"tree", "out"}


def test_a_place_where_nothing_can_be_made_is_a_usage_error(tree: pathlib.Path) -> None:
    done = _run("migrate", tree, "--output", tree / "a.py" / "out")
    assert done.returncode == 2 and "inside the tree" in done.stderr
    done = _run("migrate", tree / "a.py", "--output", tree / "b.py" / "out")
    assert done.returncode == 2 and "cannot be made: Not a directory" in done.stderr
