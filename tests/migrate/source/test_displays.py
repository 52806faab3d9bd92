"""Checks that cells still display their last expression if they are joined."""

from __future__ import annotations

import json
import pathlib
import sys

import nbformat
import pytest

from migrate.beside import files as beside
from migrate.file_result import FileResult
from migrate.findings import Outcome
from migrate.options import Options
from migrate.pipeline import migrate_bytes
from reference import processes

_CELLS = [
    """import numpy as np
import tensorflow as tf
X = np.arange(12, dtype=np.float32).reshape(4, 3)
Y = X.dot(np.ones((3, 1), np.float32))""",
    """x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 1])
w = tf.Variable(tf.zeros([3, 1]), name="w")
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)""",
    "sess = tf.Session()\nsess.run(tf.global_variables_initializer())\nlosses = []",
    """for i in range(4):
    _, value = sess.run([train, loss], feed_dict={x: X, y: Y})
    losses.append(value)""",
]
# With this the session is one of a block, which takes all cells that follow.
_AGAIN = (
    "sess.run(tf.global_variables_initializer())\n"
    "print(w.name, sess.run(loss, {x: X, y: Y}))"
)


def _migrate(*last: str) -> FileResult:
    cells = [nbformat.v4.new_code_cell(source) for source in (*_CELLS, *last, _AGAIN)]
    metadata = {
        "kernelspec": {"name": "python3", "language": "python", "display_name": "P"}
    }
    made = nbformat.v4.new_notebook(cells=cells, metadata=metadata)
    raw = (nbformat.writes(made) + "\n").encode()
    result = migrate_bytes(pathlib.Path("n.ipynb"), raw, Options())
    assert not [f for f in result.findings if f.outcome is Outcome.REFUSED]
    return result


def _read_block(result: FileResult) -> str:
    """The cell that the session's cells have become."""
    cells = ["".join(cell["source"]) for cell in json.loads(result.new)["cells"]]
    (block,) = (text for text in cells if "with plain_session.Session" in text)
    return block


@pytest.mark.parametrize(
    ("last", "becomes"),
    [
        ("print(losses)\nlosses[-1]", "display(losses[-1])"),
        ("losses", "display(losses)"),
        ("len(losses)  # Four.", "display(len(losses))  # Four."),
        ("('ä', losses[\n    0])", "display(('ä', losses[\n        0]))"),
        ("sess.run(loss, {x: X, y: Y})", "display(sess.run(compute_loss, X, Y))"),
    ],
)
def test_what_a_joined_cell_displayed_it_displays(last: str, becomes: str) -> None:
    result = _migrate(last)
    assert f"    {becomes}\n" in _read_block(result)
    (told,) = (f for f in result.findings if f.code == "S130" and f.cell == 4)
    assert "display(...) shows" in told.reason
    again = migrate_bytes(pathlib.Path("n.ipynb"), result.new, Options())
    assert not again.changed


@pytest.mark.parametrize(
    "last",
    [
        "losses[-1];",
        "print(losses)",
        "losses.append(1.0)",
        "'The end.'",
        "sess.run(train, {x: X, y: Y})",
        "sess.run(tf.global_variables_initializer())",
        "%time len(losses)",
        "last = losses[-1]",
    ],
)
def test_what_displayed_nothing_displays_nothing(last: str) -> None:
    assert "display(" not in _read_block(_migrate(last))


def test_the_values_are_displayed(tmp_path: pathlib.Path) -> None:
    """Run as Jupyter runs the cells, with a `display` that is IPython's."""
    result = _migrate("losses[-1]", "sess.run(train, {x: X, y: Y})", "len(losses)")
    cells = ["".join(cell["source"]) for cell in json.loads(result.new)["cells"]]
    shows = "def display(value):\n    print('shown', value)\n"
    program = shows + "\n".join(cells)
    (tmp_path / "cells.py").write_text(program)
    beside.write(tmp_path, program)
    done = processes.run_program([sys.executable, "cells.py"], directory=tmp_path)
    shown = [line for line in done.stdout.splitlines() if line.startswith("shown")]
    assert len(shown) == 2 and shown[-1] == "shown 4"
