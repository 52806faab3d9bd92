"""`tf1to2` alone: the same programs as `check`, what asks for TensorFlow 1, what is next."""

from __future__ import annotations

import pathlib
import re

import click.testing
import pytest

from migrate import here
from migrate.cli import main

ROOT = pathlib.Path(here.__file__).parents[1]
TRAIN = (ROOT / "migrate" / "demo" / "train.py").read_text()
SETUP = (
    "import setuptools, tensorflow as tf\n"
    "print(tf.log(2.))\n"
    "setuptools.setup(install_requires=['tensorflow==1.15'])\n"
)
BLOCKED = "import tensorflow as tf\ns = tf.Session()\nprint(s)\n"


def _run(*arguments: str, code: int = 0) -> str:
    done = click.testing.CliRunner().invoke(main, arguments)
    assert done.exit_code == code, done.output
    return done.output


@pytest.fixture
def project(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ".cache"))
    (tmp_path / "setup.py").write_text(SETUP)
    (tmp_path / "zz_train.py").write_text(TRAIN)
    (tmp_path / "blocked.py").write_text(BLOCKED)
    (tmp_path / "other.py").write_text("x = 1\n")
    (tmp_path / "Dockerfile").write_text("FROM tensorflow/tensorflow:1.15.2\n")
    return tmp_path


def test_the_programs_are_those_of_check(project: pathlib.Path) -> None:
    shown = _run()
    checked = _run("check", ".", code=1)
    assert shown.splitlines()[0] == checked.splitlines()[0]
    assert shown.startswith("2 of 3 programs can be migrated now, 1 is blocked.")
    listed = re.findall(r"^  (\S+\.py) ", shown, re.M)
    assert listed == re.findall(r"^ +\d+  .{10} (\S+\.py) ", checked, re.M)
    assert "zz_train.py  asynchronous cluster: ready" in shown
    assert "blocked.py   session, one process: blocked at 1 place\n" in shown


def test_what_asks_for_tensorflow_1_is_named(project: pathlib.Path) -> None:
    shown = _run()
    assert "  Dockerfile:1: tensorflow/tensorflow:1.15.2\n" in shown
    assert "  setup.py:3: tensorflow==1.15\n" in shown
    assert "tf1to2 packages . --diff" in shown


def test_a_program_that_is_started_is_recommended(project: pathlib.Path) -> None:
    """Not setup.py, which is ready, too, and not one that is migrated already."""
    for shown in (_run(), _run("check", ".", code=1)):
        assert "tf1to2 migrate zz_train.py --diff" in shown
    _run("migrate", "zz_train.py", "--write")
    shown = _run()
    assert shown.startswith("1 of 2 programs can be migrated now, 1 is blocked.")
    assert "train.py" not in shown


def test_what_is_migrated_is_no_work(project: pathlib.Path) -> None:
    for name in ("blocked.py", "setup.py", "Dockerfile"):
        (project / name).unlink()
    _run("migrate", ".", "--write")
    shown = _run()
    assert re.match(r"\d+ files here use TensorFlow, and nothing in them is", shown)
    assert "program" not in shown and "migrate " not in shown.split("Next")[1]
    (project / "zz_train.py").write_text(TRAIN)
    for module in (*project.glob("*session*/*.py"), *project.glob("*session.py")):
        module.unlink()
    assert _run().startswith("1 program, and it can be migrated now.\n")


def test_a_directory_without_tensorflow(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text("x = 1\n")
    shown = _run()
    assert shown.startswith("No Python file here uses TensorFlow.")
    assert "tf1to2 demo" in shown


def test_a_large_tree_is_not_read_without_being_asked(
    project: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(here, "_MOST_USING", 2)
    shown = _run()
    assert shown.startswith("3 files here use TensorFlow.\n") and "check ." in shown
    monkeypatch.setattr(here, "_MOST_FILES", 2)
    assert _run().startswith("More than 2 Python files are here.")
