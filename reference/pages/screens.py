"""docs/pictures/check.svg, diff.svg: what a terminal shows of a small project, in colour.

docs/pictures/report.png, rule.png and home.png are made by `screenshots.py`, in a browser.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import re
import tempfile
from collections.abc import Iterator

from click.testing import CliRunner

from migrate.cli import main
from migrate.demo_command import read_program
from reference.pages.demo_picture import write_text

_COLUMNS = 104
_CHARACTER, _ROW, _MARGIN = 7.23, 15.5, 18
_BACK, _INK = "#14171a", "#e4e7eb"
# What the select-graphic-rendition codes of the tool look like.
_INKS = {
    "2": "#9ba4ae",
    "31": "#ff8d80",
    "32": "#5fd07a",
    "33": "#f0b35a",
    "34": "#79b8ff",
    "36": "#6fd3d8",
}
_CODES = re.compile(r"\x1b\[([\d;]*)m")
_CLASSIFY = """\
import tensorflow as tf


def model_fn(features, labels, mode):
    logits = tf.layers.dense(features["x"], 2)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer(0.01).minimize(
        loss, tf.train.get_or_create_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    return tf.data.Dataset.from_tensor_slices(({"x": [[1.0]]}, [1])).batch(1)


estimator = tf.estimator.Estimator(model_fn, "/tmp/model")
estimator.train(input_fn, steps=2)
"""
_TRACE = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 1])
loss = tf.nn.l2_loss(tf.matmul(x, w) - 1.0)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    told = tf.RunMetadata()
    sess.run(train, {x: [[1.0, 2.0, 3.0]]}, tf.RunOptions(trace_level=3), told)
"""
_FIT = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 1])
loss = tf.nn.l2_loss(tf.matmul(x, w) - 1.0)
train = tf.train.AdamOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(10):
        value, _ = sess.run([loss, train], {x: np.random.rand(8, 3)})
    print(value)
"""


@contextlib.contextmanager
def enter_project() -> Iterator[pathlib.Path]:
    """The small project, as the current directory."""
    here = pathlib.Path.cwd()
    with tempfile.TemporaryDirectory() as directory:
        project = pathlib.Path(directory) / "project"
        project.mkdir()
        for name, text in (
            ("train.py", read_program()),
            ("classify.py", _CLASSIFY),
            ("trace.py", _TRACE),
            ("fit.py", _FIT),
        ):
            (project / name).write_text(text)
        os.chdir(project)
        try:
            yield project
        finally:
            os.chdir(here)


def run_tool(project: pathlib.Path, *arguments: str) -> str:
    """Runs the tool in the project; returns its output with the colours' codes."""
    environment = {
        "COLUMNS": str(_COLUMNS),
        "XDG_CACHE_HOME": str(project.parent / "cache"),
        "NO_COLOR": None,
    }
    done = CliRunner(env=environment).invoke(main, arguments, color=True)
    return done.output


def write_check() -> str:
    """The picture of `tf1to2 check`."""
    with enter_project() as project:
        printed = run_tool(project, "check", ".")
    return _draw("tf1to2 check .", printed)


def write_diff() -> str:
    """The picture of `tf1to2 migrate --diff`."""
    with enter_project() as project:
        printed = run_tool(project, "migrate", "fit.py", "--diff")
    return _draw("tf1to2 migrate fit.py --diff", _paint_diff(printed))


def _paint_diff(printed: str) -> str:
    """A diff in the colours that it has in a terminal alone."""
    colours = {"+": "32", "-": "31", "@": "36"}
    return "\n".join(
        f"\x1b[{colours[line[0]]}m{line}\x1b[0m" if line[:1] in colours else line
        for line in printed.split("\n")
    )


def _draw(command: str, printed: str) -> str:
    lines = [f"$ {command}", *printed.rstrip("\n").split("\n")]
    rows = [row for line in lines for row in _wrap(line)]
    parts = []
    for number, row in enumerate(rows, 1):
        column = 0
        for text, ink, bold in row:
            # A renderer makes one space of several.
            for word in re.finditer(r"\S+( \S+)*", text):
                x = _MARGIN + (column + word.start()) * _CHARACTER
                y = _MARGIN + (number - 0.4) * _ROW
                parts.append(write_text(word[0], x, y, ink, bold))
            column += len(text)
    width = 2 * _MARGIN + _COLUMNS * _CHARACTER
    height = 2 * _MARGIN + len(rows) * _ROW
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" '
            f'viewBox="0 0 {width:.0f} {height:.0f}" font-size="12" '
            "font-family=\"ui-monospace, 'SF Mono', Menlo, Consolas, "
            "'DejaVu Sans Mono', monospace\">",
            f"<title>{command}</title>",
            f'<rect width="100%" height="100%" rx="8" fill="{_BACK}"/>',
            *parts,
            "</svg>\n",
        )
    )


_Piece = tuple[str, str, bool]


def _wrap(line: str) -> Iterator[list[_Piece]]:
    """A line as rows of the terminal's width; each row as pieces of one colour."""
    row: list[_Piece] = []
    room = _COLUMNS
    ink, bold = _INK, False
    for place, part in enumerate(_CODES.split(line)):
        if place % 2:
            for code in part.split(";"):
                bold = code == "1" or (bold and code != "0")
                ink = _INK if code in ("0", "") else _INKS.get(code, ink)
            continue
        while len(part) > room:
            end = part.rfind(" ", 0, room) + 1 or room
            row.append((part[:end], ink, bold))
            yield row
            row, part, room = [], part[end:], _COLUMNS
        row.append((part, ink, bold))
        room -= len(part)
    yield row
