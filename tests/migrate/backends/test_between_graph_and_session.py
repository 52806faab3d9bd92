"""Checks that code between a graph and its session is run once, for all runs."""

from __future__ import annotations

import json
import pathlib
import sys

import nbformat
import pytest

from migrate.beside import files as beside
from migrate.compiler import migrate_text
from migrate.gates.effects import Wrong, find_differences
from migrate.options import Options
from migrate.pipeline import migrate_bytes
from reference import processes, runner

PROGRAM = """import numpy as np
import tensorflow as tf
x = np.ones(3)
y = tf.placeholder(tf.float32, [3])
{}
with tf.Session() as s:
    print(s.run({}, {{y: x}}))
"""
FETCHES = ("y * 2", "y", "[y, y * 2]")
BETWEEN = (
    "x += 1",
    "print(x)",
    "pass",
    "if x.size: x = x * 2",
    "x = x + 1",
    "np.add(x, 1, out=x)",
)


@pytest.mark.parametrize("fetch", FETCHES)
@pytest.mark.parametrize("between", BETWEEN)
def test_it_is_done_once(between: str, fetch: str) -> None:
    done = migrate_text(PROGRAM.format(between, fetch))
    assert "tf.Session" not in done.text
    assert done.text.count(between.split(": ")[-1]) == 1


def test_the_gate_sees_it_done_twice() -> None:
    """A fault of the compiler that its own passes would not see."""
    text = PROGRAM.format("x += 1", "y * 2")
    done = migrate_text(text).text
    assert not find_differences(text, done)
    twice = done.replace("x += 1\n", "x += 1\nx += 1\n")
    (found,) = find_differences(text, twice)
    assert found.wrong is Wrong.TWICE and text.split("\n")[found.line - 1] == "x += 1"


def test_it_gives_what_tf1_gives(tf1: str, tmp_path: pathlib.Path) -> None:
    text = PROGRAM.format("\n".join(BETWEEN), "[y, y * 2]")
    done = migrate_text(text)
    old, new = tmp_path / "old.py", tmp_path / "new.py"
    old.write_text(text)
    new.write_text(done.text)
    beside.write(tmp_path, done.text)
    printed = [
        processes.run_program([python, path], environment=runner.ENVIRONMENT).stdout
        for python, path in ((tf1, old), (sys.executable, new))
    ]
    assert printed[0] == printed[1] and "array" in printed[0]


@pytest.mark.parametrize(
    "cells",
    [
        ["%matplotlib inline", "{}"],
        ["%matplotlib inline\n{}"],
        ["%%time\n{}"],
        ["%matplotlib inline\n!ls", "{}"],
        ["x += 1\n%timeit 1", "%%time\n{}"],
    ],
)
def test_magics_of_a_notebook_stay_in_their_cells(cells: list[str]) -> None:
    graph, session = PROGRAM.format("#", "y * 2").split("#\n")
    sources = [graph, *(cell.format(session) for cell in cells)]
    made = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in sources]
    )
    text = nbformat.writes(made).encode()
    done = migrate_bytes(pathlib.Path("a.ipynb"), text, Options())
    assert not [f for f in done.findings if f.code.startswith("G")]
    new = ["".join(cell["source"]) for cell in json.loads(done.new)["cells"]]
    assert "tf.Session" not in "".join(new)
    for cell, source in zip(new[1:], cells, strict=True):
        for line in source.split("\n"):
            assert line == "{}" or cell.split("\n").count(line) == 1
