"""`check --baseline`: only what is new counts, and the messages say how one goes on."""

from __future__ import annotations

import pathlib

import click.testing
import pytest

from migrate.cli import main

REFUSED = "import tensorflow as tf\ns = tf.Session()\nprint(s)\n"


def _check(*arguments: object, code: int) -> str:
    every = ["check", *map(str, arguments)]
    done = click.testing.CliRunner().invoke(main, every)
    assert done.exit_code == code, done.output
    return done.output


@pytest.fixture
def tree(tmp_path: pathlib.Path) -> pathlib.Path:
    directory = tmp_path / "tree"
    directory.mkdir()
    (directory / "a.py").write_text(REFUSED)
    return directory


def test_what_is_known_does_not_fail(tree: pathlib.Path) -> None:
    file = tree.parent / "base.json"
    _check(tree, code=1)
    told = _check(tree, "--baseline", file, "--update-baseline", code=0)
    assert f"`check --baseline {file}` now reports only what is new." in told
    assert "0 new" in _check(tree, "--baseline", file, code=0)
    (tree / "b.py").write_text(REFUSED)
    assert "b.py" in _check(tree, "--baseline", file, code=1)


def test_a_missing_file_names_what_writes_it(tree: pathlib.Path) -> None:
    told = _check(tree, "--baseline", tree / "no.json", code=2)
    assert "no.json does not exist; --update-baseline writes it" in told
    (tree / "bad.json").write_text("[]")
    assert "is no baseline" in _check(tree, "--baseline", tree / "bad.json", code=2)


@pytest.mark.parametrize("code, new", [("T110", 0), ("T112", 1)])
def test_a_baseline_of_an_earlier_version_is_understood(
    tree: pathlib.Path, code: str, new: int
) -> None:
    """It may have the codes of then: T110 is T111 now, T112 is none of its names."""
    gone = "import tensorflow as tf\nprint(tf.contrib.gan)\n"
    (tree / "a.py").write_text(gone)
    file = tree.parent / "base.json"
    _check(tree, "--baseline", file, "--update-baseline", code=0)
    text = file.read_text()
    assert "T111 tf.contrib.gan" in text
    file.write_text(text.replace("T111 ", f"{code} "))
    assert f"{new} new" in _check(tree, "--baseline", file, code=new)
